/**
 * Offers to reload the page if one of its files could not be loaded, for example while the service
 * was being restarted. It is a classic script, because a module runs only after all its imports
 * have loaded.
 */
{
  const find = (id) => document.querySelector(`#${id}`)

  const offer = () => {
    document.body.dataset.state = 'unloaded'
    find('status').textContent = 'Not loaded'
    find('notice-title').textContent = 'The live view could not be loaded'
    find('notice-text').textContent =
      'A part of this page could not be loaded. The session keeps running.'
    find('retry').textContent = 'Reload'
    find('retry').hidden = false
    find('retry').addEventListener('click', () => location.reload())
  }

  // Loading errors do not bubble; a failed import is reported at the script that started it.
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
