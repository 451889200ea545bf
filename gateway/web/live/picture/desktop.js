/** The desktop of a session, displayed and controlled with noVNC. */
import RFB from '../../../novnc/core/rfb.js'
import keysyms from '../../../novnc/core/input/keysymdef.js'

const named = {
  Backspace: 0xff08,
  Tab: 0xff09,
  Enter: 0xff0d,
  Escape: 0xff1b,
  ArrowLeft: 0xff51,
  ArrowUp: 0xff52,
  ArrowRight: 0xff53,
  ArrowDown: 0xff54,
}
/** Modifier keys by keysym; they may be held when the keyboard focus leaves the view. */
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
const altLeft = { keysym: 0xffe9, code: 'AltLeft' }
/** The keysyms that a Mac's command key is sent as. */
const commandKeys = [
  { keysym: 0xffeb, code: 'MetaLeft' },
  { keysym: 0xffe9, code: 'MetaLeft' },
]

/** How often a new canvas is checked until the first picture is on it. */
const lookMs = 50
const probePx = 8

export class Desktop {
  #rfb
  #link
  #typing = Promise.resolve()
  /** The number of texts being typed. */
  #underway = 0
  #listening = new AbortController()
  #isOver = false
  #looking

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
      canvas.classList.add('desktop')
      canvas.addEventListener('blur', () => this.#releaseModifiers())
      // On touch screens noVNC draws the pointer on a canvas of its own.
      document.querySelector('body > canvas')?.setAttribute('aria-hidden', 'true')
      this.#awaitPicture(canvas, onShown)
    })
    rfb.addEventListener('disconnect', () => {
      this.#isOver = true
      clearInterval(this.#looking)
    })
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

  /** Types a text through a command, which loses nothing. */
  type(text) {
    // If the command fails, single keys type most of it.
    this.#inTurn({ type: 'type_text', text }, () => this.#pressEach(text))
  }

  /** One text or shortcut after the other, also after a failed one. */
  #inTurn(request, otherwise) {
    this.#underway++
    this.#typing = this.#typing
      .then(() => this.#link.ask(request))
      .catch(otherwise)
      .finally(() => this.#underway--)
  }

  /** noVNC is connected before anything is drawn, and does not report the first picture. */
  #awaitPicture(canvas, onShown) {
    this.#looking = setInterval(() => {
      if (!isDrawn(canvas)) return
      clearInterval(this.#looking)
      onShown(canvas)
    }, lookMs)
  }

  /**
   * Characters that the session's keyboard layout lacks are typed as text, since as keys they may
   * be lost while the layout is extended. Keys pressed before a text has been typed must follow it.
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
      if (character === '\n') this.#press('Enter', {})
      else this.#rfb.sendKey(keysyms.lookup(character.codePointAt(0)), null)
    }
  }

  /** `name` is one of `named`, or a character. Texts before and after it keep their order. */
  press(name, { ctrl = false, alt = false } = {}) {
    const key = name.replace('Arrow', '') // as commands name them
    const keys = [...(ctrl ? ['Ctrl'] : []), ...(alt ? ['Alt'] : []), key]
    this.#inTurn({ type: 'press_keys', keys }, () => this.#press(name, { ctrl, alt }))
  }

  #press(name, { ctrl = false, alt = false }) {
    const held = [...(ctrl ? [controlLeft] : []), ...(alt ? [altLeft] : [])]
    for (const { keysym, code } of held) this.#rfb.sendKey(keysym, code, true)
    if (named[name]) this.#rfb.sendKey(named[name], name)
    else this.#rfb.sendKey(keysyms.lookup(name.codePointAt(0)), null)
    for (const { keysym, code } of held) this.#rfb.sendKey(keysym, code, false)
  }

  /** Presses Ctrl+V in the session. `held` are the modifiers held down on this keyboard. */
  pressPaste(held) {
    const rfb = this.#rfb
    if (held.meta) for (const { keysym, code } of commandKeys) rfb.sendKey(keysym, code, false)
    if (!held.ctrl) rfb.sendKey(controlLeft.keysym, controlLeft.code, true)
    rfb.sendKey(0x76, 'KeyV')
    if (!held.ctrl) rfb.sendKey(controlLeft.keysym, controlLeft.code, false)
  }

  /**
   * Releases modifiers when the focus is lost: otherwise their release would not be noticed, and
   * they would stay pressed.
   */
  #releaseModifiers() {
    for (const [keysym, code] of Object.entries(modifiers)) {
      this.#rfb.sendKey(Number(keysym), code, false)
    }
  }

  /** RFB reports size changes itself. */
  resized() {}

  close() {
    this.#listening.abort()
    clearInterval(this.#looking)
    if (!this.#isOver) this.#rfb.disconnect()
  }
}

/** Whether the whole canvas is painted; it is transparent at first. */
function isDrawn(canvas) {
  const probe = new OffscreenCanvas(probePx, probePx).getContext('2d')
  if (canvas.width === 0 || canvas.height === 0) return false
  probe.drawImage(canvas, 0, 0, probePx, probePx)
  const { data } = probe.getImageData(0, 0, probePx, probePx)
  return data.every((value, i) => i % 4 !== 3 || value === 255)
}
