"""The passes over a run-time argument of which the forms are known: its check, zeros
for its adjoint, which may check it as well, the gradient in the user's classes, and a
copy that may be changed. Each is a plain function that is written for the forms.

What is one object gets one adjoint. Each form has a list of what waits to be completed,
so that nothing is recursive."""
