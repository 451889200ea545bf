/** Creates links to this session for other people. */
import { Panel } from './panel.js'

const find = (name) => document.querySelector(`#share-${name}`)

export class Share {
  #link
  #form = find('form')
  #result = find('result')
  #url = find('link')
  #note = find('note')
  #panel = new Panel('share', { onOpened: () => this.#form.querySelector(':checked').focus() })

  constructor() {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#make()
    })
    this.#form.addEventListener('change', () => this.#clear())
    this.#url.addEventListener('focus', () => this.#url.select())
    find('copy').addEventListener('click', () => void this.#copy())
  }

  use(view) {
    this.#link = view?.link
    this.#panel.isOffered = view?.rights?.includes('share') ?? false
    this.#clear()
  }

  /** Clears the link when the form changes, so that the shown link always matches the form. */
  #clear() {
    this.#result.hidden = true
    this.#url.value = ''
    this.#note.textContent = ''
  }

  async #make() {
    const { mode, minutes } = Object.fromEntries(new FormData(this.#form))
    const wantedMs = Date.now() + Number(minutes) * 60_000
    try {
      const made = await this.#link.ask({ type: 'share', mode, minutes: Number(minutes) })
      const until = new Date(made.expires_at)
      const isShorter = wantedMs - until > 30_000
      this.#url.value = made.live_view_url
      this.#result.hidden = false
      this.#note.textContent = isShorter
        ? `It works until ${until.toLocaleTimeString()}, when your own link ends.`
        : `It works until ${until.toLocaleTimeString()}, or until the session ends.`
      find('copy').focus()
    } catch (error) {
      this.#note.textContent = error.message
    }
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#url.value)
    } catch {
      // Not every browser allows copying, and none does on a page without HTTPS.
      this.#url.select()
      if (!document.execCommand('copy')) {
        this.#note.textContent =
          'Your browser could not copy the link. Copy the selected text yourself.'
        return
      }
    }
    this.#note.textContent = 'Copied.'
  }
}
