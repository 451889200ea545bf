/** Ends the session, after a confirmation. */
export class EndSession {
  #link
  #button = document.querySelector('#end')
  #dialog = document.querySelector('#end-dialog')
  #confirm = document.querySelector('#end-confirm')
  #note = document.querySelector('#end-note')

  constructor() {
    this.#button.addEventListener('click', () => {
      this.#note.textContent = ''
      this.#dialog.showModal()
    })
    document.querySelector('#end-cancel').addEventListener('click', () => this.#dialog.close())
    this.#confirm.addEventListener('click', () => void this.#end())
  }

  use(view) {
    this.#link = view?.link
    this.#button.hidden = !view?.rights?.includes('end')
    if (!view) this.#dialog.close()
  }

  async #end() {
    this.#confirm.disabled = true
    try {
      await this.#link.ask({ type: 'end_session' })
    } catch (error) {
      this.#note.textContent = error.message
    } finally {
      this.#confirm.disabled = false
    }
  }
}
