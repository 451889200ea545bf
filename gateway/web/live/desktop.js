/** The desktop of a session, drawn and driven by noVNC. */
import RFB from '../../novnc/core/rfb.js'
import keysyms from '../../novnc/core/input/keysymdef.js'

const named = { Backspace: 0xff08, Tab: 0xff09, Enter: 0xff0d, Escape: 0xff1b }
/** By keysym, what may be held while the keyboard goes elsewhere. */
const modifiers = {
  0xffe1: 'ShiftLeft',
  0xffe2: 'ShiftRight',
  0xffe3: 'ControlLeft',
  0xffe4: 'ControlRight',
  0xffe7: 'MetaLeft',
  0xffe9: 'AltLeft',
  0xffea: 'AltRight',
  0xffeb: 'MetaLeft',
}
const controlLeft = { keysym: 0xffe3, code: 'ControlLeft' }
/** What a Mac's command key is over there. */
const commandKeys = [
  { keysym: 0xffeb, code: 'MetaLeft' },
  { keysym: 0xffe9, code: 'MetaLeft' },
]

export class Desktop {
  #rfb
  #link
  #typing = Promise.resolve()
  #isOver = false

  constructor(stage, link, { mode, fit, onShown }) {
    const rfb = new RFB(stage, link.channel, { shared: true })
    rfb.viewOnly = mode === 'view'
    rfb.scaleViewport = fit
    rfb.showDotCursor = true
    rfb.focusOnClick = true
    rfb.background = 'transparent'
    rfb.qualityLevel = 8
    rfb.compressionLevel = 2
    rfb.addEventListener('connect', () => {
      const canvas = stage.querySelector('canvas')
      canvas.addEventListener('blur', () => this.#letGo())
      onShown(canvas)
    })
    rfb.addEventListener('disconnect', () => (this.#isOver = true))
    this.#rfb = rfb
    this.#link = link
  }

  set fit(fit) {
    this.#rfb.scaleViewport = fit
  }

  focus() {
    this.#rfb.focus()
  }

  /** Words by the session itself, which loses none; letters as keys. */
  type(text) {
    this.#typing = this.#typing.then(async () => {
      if ([...text].length === 1) return this.#pressEach(text)
      try {
        await this.#link.ask({ type: 'type_text', text })
      } catch {
        this.#pressEach(text) // It could not: most arrives this way too.
      }
    })
  }

  #pressEach(text) {
    for (const character of text) {
      if (character === '\n') this.press('Enter')
      else this.#rfb.sendKey(keysyms.lookup(character.codePointAt(0)), null)
    }
  }

  press(name) {
    this.#rfb.sendKey(named[name], name)
  }

  /** Ctrl+V over there. `held`: the modifiers this keyboard holds down at the moment. */
  pressPaste(held) {
    const rfb = this.#rfb
    if (held.meta) for (const { keysym, code } of commandKeys) rfb.sendKey(keysym, code, false)
    if (!held.ctrl) rfb.sendKey(controlLeft.keysym, controlLeft.code, true)
    rfb.sendKey(0x76, 'KeyV')
    if (!held.ctrl) rfb.sendKey(controlLeft.keysym, controlLeft.code, false)
  }

  /** What is released while the keyboard is elsewhere would stay pressed over there. */
  #letGo() {
    for (const [keysym, code] of Object.entries(modifiers)) {
      this.#rfb.sendKey(Number(keysym), code, false)
    }
  }

  /** RFB says so itself. */
  resized() {}

  close() {
    if (!this.#isOver) this.#rfb.disconnect()
  }
}
