"""Routes, a module for whom they are: running systems, whoever manages audits, people with a browser."""
