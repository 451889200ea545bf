/**
 * Shows the question of the session's task. It appears without taking the keyboard focus, and
 * disappears when any viewer has answered.
 */
const actions = {
  payment: 'pay',
  deletion: 'delete something',
  upload: 'upload a file',
  download: 'download a file',
  leaving_site: 'leave this site',
}

export class Question {
  #link
  #open
  #box = document.querySelector('#question')
  #title = document.querySelector('#question-title')
  #said = document.querySelector('#question-text')
  #form = document.querySelector('#question-form')
  #label = document.querySelector('#question-label')
  #answer = document.querySelector('#question-answer')
  #refuse = document.querySelector('#question-refuse')
  #agree = document.querySelector('#question-agree')
  #note = document.querySelector('#question-note')

  constructor() {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#send(event.submitter !== this.#refuse)
    })
    this.#answer.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      // Enter must not allow a confirmation: the text might say "no".
      if (this.#open?.kind === 'confirmation') return
      event.preventDefault()
      this.#form.requestSubmit(this.#agree)
    })
  }

  use(view) {
    this.#link = view?.link
    if (!view) this.show(null)
  }

  show(question) {
    this.#open = question
    const hadFocus = this.#box.contains(document.activeElement)
    this.#box.hidden = question === null
    if (question) this.#fill(question)
    // The focus returns to the session.
    else if (hadFocus) document.querySelector('#stage canvas')?.focus()
  }

  #fill({ kind, action, text }) {
    const isConfirmation = kind === 'confirmation'
    const mayAnswer = document.body.dataset.mode === 'control'
    const what = actions[action] ?? 'continue'
    this.#title.textContent = isConfirmation
      ? `The task wants to ${what}`
      : 'The task has a question'
    this.#said.textContent = text
    this.#form.hidden = !mayAnswer
    this.#label.textContent = isConfirmation ? 'A message to the task (optional)' : 'Your answer'
    this.#answer.value = ''
    this.#answer.required = !isConfirmation
    this.#refuse.hidden = !isConfirmation
    this.#agree.textContent = isConfirmation ? 'Allow' : 'Answer'
    this.#note.textContent = mayAnswer
      ? ''
      : 'The task is waiting for someone with control to answer.'
  }

  async #send(approve) {
    const { id, task_id, kind } = this.#open
    const text = this.#answer.value.trim()
    const words = text === '' ? {} : { text }
    const answer = kind === 'confirmation' ? { approve, ...words } : words
    this.#setBusy(true)
    try {
      if (!this.#link) throw new Error('The session is not connected. Try again when it is.')
      await this.#link.ask({ type: 'answer', task_id, question_id: id, ...answer })
      if (this.#open?.id === id) this.show(null)
    } catch (error) {
      this.#note.textContent = error.message
    } finally {
      this.#setBusy(false)
    }
  }

  #setBusy(isBusy) {
    for (const button of [this.#refuse, this.#agree]) button.disabled = isBusy
  }
}
