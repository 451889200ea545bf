/** The bar's buttons for the view itself, and the shortcut that leads to them. */
export class ViewTools {
  #picture
  #fit = document.querySelector('#fit')
  #fullScreen = document.querySelector('#full-screen')

  constructor(stage) {
    this.#fit.addEventListener('click', () => this.#setFit(!this.fit))
    this.#fullScreen.hidden = !document.fullscreenEnabled
    this.#fullScreen.addEventListener('click', () => void this.#toggleFullScreen())
    document.addEventListener('fullscreenchange', () => {
      press(this.#fullScreen, document.fullscreenElement !== null)
    })
    // The session gets all keys, including Tab, so another shortcut must lead back to the bar.
    stage.addEventListener('keydown', (event) => this.#leave(event), { capture: true })
  }

  get fit() {
    return this.#fit.getAttribute('aria-pressed') === 'true'
  }

  use(view) {
    this.#picture = view?.picture
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
}

function press(button, isPressed) {
  button.setAttribute('aria-pressed', String(isPressed))
}
