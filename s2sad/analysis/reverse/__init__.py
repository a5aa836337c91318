"""What the reverse sweep needs: what varies, what is kept, what is computed again."""
