/** The page of a headless session: draws frames on a canvas and sends input in page pixels. */
import { PageInput } from './page-input.js'

export class Page {
  #canvas = document.createElement('canvas')
  #link
  #input
  #onShown

  constructor(stage, link, { mode, fit, onShown }) {
    this.#link = link
    this.#onShown = onShown
    this.#canvas.className = 'page'
    this.fit = fit
    stage.append(this.#canvas)
    if (mode === 'control') this.#input = new PageInput(this.#canvas, link)
    link.channel.onmessage = (event) => void this.#draw(event.data)
  }

  set fit(fit) {
    this.#canvas.classList.toggle('fit', fit)
  }

  focus() {
    this.#canvas.focus()
  }

  type(text) {
    this.#link.tell({ type: 'text', text })
  }

  /** `name` is one of the keys in `page-input.js`, or a character. */
  press(name, modifiers) {
    this.#input?.press(name, modifiers)
  }

  pressPaste() {
    this.#input?.press('v', { ctrl: true })
  }

  /** Sets the page's size in its own pixels; the picture may have fewer. */
  resized({ width, height }) {
    this.#canvas.dataset.width = width
    this.#canvas.dataset.height = height
    this.#canvas.style.setProperty('--width', `${width}px`)
  }

  close() {
    this.#input?.close()
    this.#canvas.remove()
  }

  async #draw(jpeg) {
    try {
      const picture = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' }))
      if (this.#canvas.width !== picture.width) this.#canvas.width = picture.width
      if (this.#canvas.height !== picture.height) this.#canvas.height = picture.height
      this.#canvas.getContext('2d').drawImage(picture, 0, 0)
      picture.close()
      const onShown = this.#onShown
      this.#onShown = undefined
      onShown?.(this.#canvas)
    } finally {
      // Sent also for a frame that could not be decoded, so that further frames are sent.
      this.#link.tell({ type: 'drawn' })
    }
  }
}
