"""Who is shown to whom?"""
