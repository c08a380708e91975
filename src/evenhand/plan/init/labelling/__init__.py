"""What says that users liked something."""
