/**
 * The clipboard in both directions. Pasting with the keyboard sends this machine's text along;
 * copying in the session brings the text here if the browser allows it; the panel does both by
 * hand.
 */
import { Panel } from './panel.js'

const copiedWithinMs = 250

export class Clipboard {
  #link
  #picture
  #text = document.querySelector('#clipboard-text')
  #note = document.querySelector('#clipboard-note')
  #panel = new Panel('clipboard', {
    onOpened: () => {
      this.#text.focus()
      void this.#attempt(() => this.#fetch({ ifStill: this.#text.value }), '')
    },
  })
  #held = { ctrl: false, meta: false }

  constructor(stage) {
    this.#on('#clipboard-send', () => this.#attempt(() => this.#send(this.#text.value), 'Sent.'))
    this.#on('#clipboard-fetch', () => this.#attempt(() => this.#fetch(), 'Fetched.'))
    // Registered for capture, because the picture's own listener stops the event.
    stage.addEventListener('keydown', (event) => this.#keyDown(event), { capture: true })
    stage.addEventListener('keyup', (event) => this.#keep(event), { capture: true })
    document.addEventListener('paste', (event) => {
      if (stage.contains(document.activeElement)) void this.#paste(event)
    })
  }

  use(view) {
    const isOurs = view?.mode === 'control'
    this.#link = isOurs ? view.link : undefined
    this.#picture = view?.picture
    this.#panel.isOffered = isOurs
  }

  #on(selector, heed) {
    document.querySelector(selector).addEventListener('click', heed)
  }

  #keep({ ctrlKey: ctrl, metaKey: meta }) {
    this.#held = { ctrl, meta }
  }

  #keyDown(event) {
    this.#keep(event)
    if (!this.#link || event.altKey || (!event.ctrlKey && !event.metaKey)) return
    const key = event.key.toLowerCase()
    // Left to the browser, Ctrl+V becomes a paste event that contains this machine's text.
    if (key === 'v') event.stopImmediatePropagation()
    if ((key === 'c' || key === 'x') && navigator.clipboard) {
      setTimeout(() => void this.#copyFromSession(), copiedWithinMs)
    }
  }

  async #paste(event) {
    event.preventDefault()
    if (!this.#link) return
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (text !== '') await this.#attempt(() => this.#send(text), '')
    this.#picture.pressPaste(this.#held)
  }

  async #copyFromSession() {
    try {
      await navigator.clipboard.writeText(await this.#fetch())
    } catch {
      // The browser refused, or the session has nothing to copy; the panel remains usable.
    }
  }

  async #send(text) {
    await this.#link.ask({ type: 'clipboard_write', text })
  }

  /** With `ifStill`, does not overwrite what the user has typed into the panel meanwhile. */
  async #fetch({ ifStill } = {}) {
    const { text } = await this.#link.ask({ type: 'clipboard_read' })
    if (ifStill === undefined || this.#text.value === ifStill) this.#text.value = text
    return text
  }

  async #attempt(work, done) {
    try {
      if (!this.#link) throw new Error('The session is not connected. Try again when it is.')
      await work()
      this.#note.textContent = done
    } catch (error) {
      this.#note.textContent = error.message
    }
  }
}
