"""What is handed to an auditor: a result as Markdown in the order in which an audit is read, with marked
blanks for what no file of a result can know."""
