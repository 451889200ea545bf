/**
 * Typing on a touch screen: text from the on-screen keyboard, and a row with the keys that it
 * lacks. Ctrl and Alt of the row apply to the next key, from the row or the on-screen keyboard.
 */
const keyNames = {
  deleteContentBackward: 'Backspace',
  insertLineBreak: 'Enter',
  insertParagraph: 'Enter',
}

const row = document.querySelector('#key-row')
const keyboard = document.querySelector('#keyboard')
/** The field that the on-screen keyboard types into. */
const field = document.querySelector('#keys')
const modifiers = [...row.querySelectorAll('[data-modifier]')]

export class TouchKeys {
  #picture
  /** How much of the text that is being composed has been typed in the session. */
  #typedLength = 0

  constructor() {
    // A button that took the focus would close the on-screen keyboard.
    row.addEventListener('mousedown', (event) => event.preventDefault())
    row.addEventListener('click', ({ target }) => this.#clicked(target.closest('button')))
    field.addEventListener('focus', () => press(keyboard, true))
    field.addEventListener('blur', () => press(keyboard, false))
    field.addEventListener('beforeinput', (event) => this.#typed(event))
    field.addEventListener('compositionend', (event) => this.#composed(event))
    visualViewport?.addEventListener('resize', fitAboveKeyboard)
  }

  /** View-only viewers cannot type. */
  use(view) {
    this.#picture = view?.mode === 'control' ? view.picture : undefined
    row.hidden = this.#picture === undefined
    this.#takeModifiers()
  }

  #clicked(button) {
    if (!button) return
    const { key, modifier } = button.dataset
    if (key) this.#press(key)
    else if (modifier) press(button, !isPressed(button))
    else if (document.activeElement === field) field.blur()
    else field.focus()
  }

  #press(name) {
    this.#picture?.press(name, this.#takeModifiers())
  }

  /** The first character is the shortcut's key if a modifier is held. */
  #type(text) {
    if (!modifiers.some(isPressed)) return this.#picture?.type(text)
    const [first, ...rest] = text
    this.#press(first.toLowerCase())
    if (rest.length > 0) this.#picture?.type(rest.join(''))
  }

  /** Releases the held modifiers and returns which they were. */
  #takeModifiers() {
    const held = {}
    for (const button of modifiers) {
      held[button.dataset.modifier] = isPressed(button)
      press(button, false)
    }
    return held
  }

  #typed(event) {
    if (event.isComposing || event.inputType === 'insertCompositionText') {
      return this.#composing(event.data ?? '')
    }
    event.preventDefault()
    const name = keyNames[event.inputType]
    if (name) this.#press(name)
    else if (event.data) this.#type(event.data)
  }

  /**
   * A text being composed still changes, and `compositionend` gives its final form. A shortcut
   * cannot wait for that: many on-screen keyboards compose every word, letter by letter.
   */
  #composing(text) {
    if (text.length <= this.#typedLength || !modifiers.some(isPressed)) return
    const last = [...text].at(-1)
    const before = text.slice(this.#typedLength, -last.length)
    if (before !== '') this.#picture?.type(before)
    this.#type(last)
    this.#typedLength = text.length
  }

  #composed({ data }) {
    const rest = (data ?? '').slice(this.#typedLength)
    this.#typedLength = 0
    if (rest !== '') this.#type(rest)
    field.value = ''
  }
}

/** Some browsers lay their keyboard over the page instead of making room for it. */
function fitAboveKeyboard() {
  if (visualViewport.scale !== 1) return
  document.documentElement.style.setProperty('--visible', `${visualViewport.height}px`)
  scrollTo(0, 0)
}

function press(button, isDown) {
  button.setAttribute('aria-pressed', String(isDown))
}

function isPressed(button) {
  return button.getAttribute('aria-pressed') === 'true'
}
