/** Shows in the bar whether keys go to the session or to this page. */
const badge = document.querySelector('#keyboard-state')
const ways = {
  session: {
    text: 'Keyboard: session',
    title: 'What you type goes to the session. Press Ctrl+Alt+Shift to get your keyboard back.',
  },
  page: {
    text: 'Keyboard: this page',
    title: 'What you type stays on this page. Click the picture to type in the session.',
  },
}

export class KeyboardState {
  #stage

  constructor(stage) {
    this.#stage = stage
    document.addEventListener('focusin', ({ target }) => this.#tell(target))
    document.addEventListener('focusout', ({ relatedTarget }) => this.#tell(relatedTarget))
  }

  /** View-only viewers cannot type. */
  use(view) {
    badge.hidden = view?.mode !== 'control'
    this.#tell(document.activeElement)
  }

  /** `element` has the focus; null if no element has it. */
  #tell(element) {
    const where = element && this.#stage.contains(element) ? 'session' : 'page'
    const { text, title } = ways[where]
    badge.textContent = text
    badge.title = title
    badge.dataset.where = where
  }
}
