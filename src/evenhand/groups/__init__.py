"""Which users are served worst?"""
