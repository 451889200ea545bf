/**
 * Fills in an invitation or reset from the part of the URL after `#`, which browsers do not send to
 * servers.
 */
export function fillInvitation() {
  const field = document.querySelector('input[name=invitation], input[name=reset]')
  if (!field || field.value !== '' || !location.hash.startsWith('#spai_')) return
  field.value = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  document.querySelector('input[name=password]')?.focus()
}
