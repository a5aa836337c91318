"""Objects of users' classes: made, read, compared and copied."""
