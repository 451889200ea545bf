/** The choice of colours, hidden without this script: those of the system, light, or dark. */
export function offerThemes() {
  const choice = document.getElementById('theme')
  if (!choice) return
  const { dataset } = document.documentElement
  choice.value = dataset.theme ?? ''
  choice.closest('[hidden]').hidden = false
  choice.addEventListener('change', () => {
    dataset.theme = choice.value
    try {
      if (choice.value === '') localStorage.removeItem('troupe-theme')
      else localStorage.setItem('troupe-theme', choice.value)
    } catch {
      // It lasts as long as the page.
    }
  })
}
