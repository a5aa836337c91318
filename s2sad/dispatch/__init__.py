"""From a call to the derivative that was compiled for such calls: what users pass as a
function, the kinds of its arguments, checks, and what is kept."""
