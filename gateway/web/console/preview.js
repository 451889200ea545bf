/** Keeps the code beside a form current while the form is being filled in. */
import { offerCopies } from '../shared/copying.js'

const waitMs = 300

export function previewCode() {
  const form = document.querySelector('form:has([name=preview])')
  if (!form) return
  const button = form.querySelector('[name=preview]')
  button.hidden = true
  let timer
  let newest = 0
  const update = async () => {
    const mine = ++newest
    const body = new URLSearchParams(new FormData(form))
    body.set('preview', 'yes')
    const answer = await fetch(form.action, { method: 'POST', body })
    if (!answer.ok || mine !== newest) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const fresh = page.getElementById('code')
    if (!fresh) return
    document.getElementById('code').replaceWith(fresh)
    offerCopies(fresh)
  }
  form.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void update().catch(() => undefined), waitMs)
  })
}
