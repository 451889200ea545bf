/* What a page, or a part of it, says. */
function extract() {
  return { text: '', more: 0 }
}
