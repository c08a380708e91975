"""What people look at: audits, monitors and reports, as pages and as data."""
