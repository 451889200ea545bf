/**
 * Offers to load the page again when one of its files did not come, for example while the service
 * was being restarted. It is no module, because a module runs only after all that it imports.
 */
{
  const find = (id) => document.querySelector(`#${id}`)

  const offer = () => {
    document.body.dataset.state = 'unloaded'
    find('status').textContent = 'Not loaded'
    find('notice-title').textContent = 'The live view could not be loaded'
    find('notice-text').textContent =
      'A part of this page did not arrive. The session goes on without it.'
    find('retry').textContent = 'Load again'
    find('retry').hidden = false
    find('retry').addEventListener('click', () => location.reload())
  }

  // Errors of loading do not bubble; that of an import is reported at the script that began it.
  addEventListener(
    'error',
    ({ target }) => {
      if (target.tagName !== 'SCRIPT') return
      if (document.readyState !== 'loading') offer()
      else addEventListener('DOMContentLoaded', offer)
    },
    { capture: true },
  )
}
