/** The bar's buttons for the view itself, and text input from phones' keyboards. */
const keyNames = {
  deleteContentBackward: 'Backspace',
  insertLineBreak: 'Enter',
  insertParagraph: 'Enter',
}

export class Tools {
  #picture
  #fit = document.querySelector('#fit')
  #keyboard = document.querySelector('#keyboard')
  #fullScreen = document.querySelector('#full-screen')
  #keys = document.querySelector('#keys')

  constructor(stage) {
    this.#fit.addEventListener('click', () => this.#setFit(!this.fit))
    this.#fullScreen.hidden = !document.fullscreenEnabled
    this.#fullScreen.addEventListener('click', () => void this.#toggleFullScreen())
    document.addEventListener('fullscreenchange', () => {
      press(this.#fullScreen, document.fullscreenElement !== null)
    })
    this.#keyboard.addEventListener('click', () => this.#keys.focus())
    this.#keys.addEventListener('focus', () => press(this.#keyboard, true))
    this.#keys.addEventListener('blur', () => press(this.#keyboard, false))
    this.#keys.addEventListener('beforeinput', (event) => this.#typed(event))
    this.#keys.addEventListener('compositionend', (event) => this.#composed(event))
    // The session gets all keys, including Tab, so another shortcut must lead back to the bar.
    stage.addEventListener('keydown', (event) => this.#leave(event), { capture: true })
  }

  get fit() {
    return this.#fit.getAttribute('aria-pressed') === 'true'
  }

  use(picture, mode) {
    this.#picture = picture
    this.#keyboard.hidden = mode !== 'control'
  }

  #setFit(fit) {
    press(this.#fit, fit)
    if (this.#picture) this.#picture.fit = fit
  }

  async #toggleFullScreen() {
    if (document.fullscreenElement) return document.exitFullscreen()
    await document.documentElement.requestFullscreen()
    this.#picture?.focus()
  }

  #leave(event) {
    if (!(event.ctrlKey && event.altKey && event.shiftKey)) return
    event.stopImmediatePropagation()
    event.preventDefault()
    this.#fit.focus()
  }

  #typed(event) {
    // A text being composed still changes; `compositionend` gives its final form.
    if (event.isComposing || event.inputType === 'insertCompositionText') return
    event.preventDefault()
    const name = keyNames[event.inputType]
    if (name) this.#picture?.press(name)
    else if (event.data) this.#picture?.type(event.data)
  }

  #composed(event) {
    if (event.data) this.#picture?.type(event.data)
    this.#keys.value = ''
  }
}

function press(button, isPressed) {
  button.setAttribute('aria-pressed', String(isPressed))
}
