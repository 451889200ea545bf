/** A box over the picture with a button in the bar that opens it. Only one is open at a time. */
let openPanel

export class Panel {
  #box
  #button
  #onOpened
  #onClosed

  /** `name` is the id of the button; the box is `#name-panel`, its close button `#name-close`. */
  constructor(name, { onOpened, onClosed = () => {} }) {
    this.#button = document.querySelector(`#${name}`)
    this.#box = document.querySelector(`#${name}-panel`)
    this.#onOpened = onOpened
    this.#onClosed = onClosed
    this.#button.addEventListener('click', () => this.toggle())
    document.querySelector(`#${name}-close`).addEventListener('click', () => this.toggle(false))
    this.#box.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.toggle(false)
    })
  }

  get isOpen() {
    return !this.#box.hidden
  }

  set isOffered(isOffered) {
    this.#button.hidden = !isOffered
    if (!isOffered) this.toggle(false)
  }

  /** When it is closed while it has the focus, its button gets the focus. */
  toggle(isOpen = !this.isOpen) {
    if (this.isOpen === isOpen) return
    if (isOpen) openPanel?.toggle(false)
    const hadFocus = this.#box.contains(document.activeElement)
    this.#box.hidden = !isOpen
    this.#button.setAttribute('aria-expanded', String(isOpen))
    openPanel = isOpen ? this : undefined
    if (isOpen) return this.#onOpened()
    this.#onClosed()
    if (hadFocus) this.#button.focus()
  }
}
