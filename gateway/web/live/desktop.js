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
  /** Texts that are on their way. */
  #underway = 0
  #listening = new AbortController()
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
    if (mode === 'control') {
      const options = { capture: true, signal: this.#listening.signal }
      stage.addEventListener('keydown', (event) => this.#keyDown(event), options)
    }
    this.#rfb = rfb
    this.#link = link
  }

  set fit(fit) {
    this.#rfb.scaleViewport = fit
  }

  focus() {
    this.#rfb.focus()
  }

  /** By the session itself, which loses nothing; one text after the other. */
  type(text) {
    this.#underway++
    this.#typing = this.#typing.then(async () => {
      try {
        await this.#link.ask({ type: 'type_text', text })
      } catch {
        this.#pressEach(text) // It could not: most arrives this way too.
      }
      this.#underway--
    })
  }

  /**
   * Letters that the keyboard over there lacks are texts, for as keys they may be lost while it
   * learns them. Whatever is typed before they have arrived has to come after them.
   */
  #keyDown(event) {
    const { key } = event
    const isLetter = [...key].length === 1 && !event.isComposing
    const isShortcut =
      !event.getModifierState('AltGraph') && (event.ctrlKey || event.altKey || event.metaKey)
    if (!isLetter || isShortcut || (key <= '~' && this.#underway === 0)) return
    event.stopImmediatePropagation()
    event.preventDefault()
    this.type(key)
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
    this.#listening.abort()
    if (!this.#isOver) this.#rfb.disconnect()
  }
}
