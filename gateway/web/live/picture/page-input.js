/** Sends mouse, touch and keyboard events on a page's canvas as messages to the session. */
const buttons = ['left', 'middle', 'right', 'back', 'forward']
const tapPx = 10
const doubleTapMs = 400
const keyCodes = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
}

export class PageInput {
  #canvas
  #link
  #touch
  #lastPress = { at: 0, count: 0, x: 0, y: 0 }
  #listening = new AbortController()

  constructor(canvas, link) {
    this.#canvas = canvas
    this.#link = link
    const on = (name, heed, options) => {
      const heard = (event) => {
        heed(event)
        event.preventDefault()
      }
      canvas.addEventListener(name, heard, { signal: this.#listening.signal, ...options })
    }
    on('pointerdown', (event) => this.#down(event))
    on('pointermove', (event) => this.#move(event))
    on('pointerup', (event) => this.#up(event))
    on('pointercancel', () => (this.#touch = undefined))
    on('wheel', (event) => this.#wheel(event), { passive: false })
    on('contextmenu', () => {})
    on('keydown', (event) => this.#key(event, 'down'))
    on('keyup', (event) => this.#key(event, 'up'))
  }

  /** Presses and releases one of the keys in `keyCodes`, or the key of a character. */
  press(name, { ctrl = false, alt = false } = {}) {
    const key = { type: 'key', key: name, ...codesOf(name), location: 0 }
    const rest = { repeat: false, modifiers: (alt && 1) | (ctrl && 2) }
    for (const act of ['down', 'up']) this.#link.tell({ ...key, ...rest, act })
  }

  close() {
    this.#listening.abort()
  }

  #down(event) {
    this.#canvas.focus({ preventScroll: true })
    this.#canvas.setPointerCapture(event.pointerId)
    if (event.pointerType === 'touch') {
      const { clientX: x, clientY: y } = event
      this.#touch = { id: event.pointerId, startX: x, startY: y, x, y, hasMoved: false }
      return
    }
    this.#mouse('down', event, this.#clicks(event))
  }

  /** A moving finger scrolls. */
  #move(event) {
    if (event.pointerType !== 'touch') return this.#mouse('move', event, 0)
    const touch = this.#touch
    if (touch?.id !== event.pointerId) return
    const { clientX, clientY } = event
    touch.hasMoved ||= Math.hypot(clientX - touch.startX, clientY - touch.startY) > tapPx
    if (!touch.hasMoved) return
    const scale = this.#scale()
    const [dx, dy] = [(touch.x - clientX) * scale, (touch.y - clientY) * scale]
    this.#link.tell({ type: 'wheel', ...this.#point(event), dx, dy, modifiers: 0 })
    touch.x = clientX
    touch.y = clientY
  }

  /** A finger lifted without moving clicks. */
  #up(event) {
    if (event.pointerType !== 'touch') return this.#mouse('up', event, this.#lastPress.count)
    const touch = this.#touch
    this.#touch = undefined
    if (touch?.id !== event.pointerId || touch.hasMoved) return
    const clicks = this.#clicks(event)
    const tap = { button: 'left', clicks, modifiers: 0, ...this.#point(event) }
    this.#link.tell({ type: 'mouse', act: 'move', ...tap, button: 'none', buttons: 0, clicks: 0 })
    this.#link.tell({ type: 'mouse', act: 'down', ...tap, buttons: 1 })
    this.#link.tell({ type: 'mouse', act: 'up', ...tap, buttons: 0 })
  }

  #mouse(act, event, clicks) {
    const button = act === 'move' ? 'none' : (buttons[event.button] ?? 'none')
    const message = { type: 'mouse', act, button, buttons: event.buttons & 31, clicks }
    this.#link.tell({ ...message, ...this.#point(event), modifiers: modifiersOf(event) })
  }

  #clicks({ clientX: x, clientY: y, timeStamp: at }) {
    const last = this.#lastPress
    const again = at - last.at < doubleTapMs && Math.hypot(x - last.x, y - last.y) < tapPx
    this.#lastPress = { at, x, y, count: again ? Math.min(last.count + 1, 3) : 1 }
    return this.#lastPress.count
  }

  #wheel(event) {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 40
    const clamp = (value) => Math.max(-10_000, Math.min(10_000, value * unit))
    const [dx, dy] = [clamp(event.deltaX), clamp(event.deltaY)]
    const message = { type: 'wheel', ...this.#point(event), dx, dy }
    this.#link.tell({ ...message, modifiers: modifiersOf(event) })
  }

  #key(event, act) {
    if (event.isComposing || event.key === 'Process' || event.key === 'Dead') return
    const { key, code, keyCode, location, repeat } = event
    // With AltGr a key types its third character; the page must not see a Ctrl+Alt shortcut.
    const modifiers = event.getModifierState('AltGraph') ? 0 : modifiersOf(event)
    this.#link.tell({ type: 'key', act, key, code, keyCode, location, repeat, modifiers })
  }

  /** The number of page pixels for one pixel of the displayed canvas. */
  #scale() {
    const width = Number(this.#canvas.dataset.width ?? this.#canvas.width)
    return width / this.#canvas.getBoundingClientRect().width
  }

  #point({ clientX, clientY }) {
    const { left, top } = this.#canvas.getBoundingClientRect()
    const scale = this.#scale()
    const inside = (value) => Math.max(0, Math.round(value * scale * 10) / 10)
    return { x: inside(clientX - left), y: inside(clientY - top) }
  }
}

/** The codes of a US keyboard; characters that it lacks have none. */
function codesOf(name) {
  if (keyCodes[name] !== undefined) return { code: name, keyCode: keyCodes[name] }
  const upper = name.toUpperCase()
  const prefix = /^[A-Z]$/.test(upper) ? 'Key' : /^[0-9]$/.test(upper) ? 'Digit' : undefined
  return prefix ? { code: prefix + upper, keyCode: upper.charCodeAt(0) } : { code: '', keyCode: 0 }
}

function modifiersOf({ altKey, ctrlKey, metaKey, shiftKey }) {
  return (altKey && 1) | (ctrlKey && 2) | (metaKey && 4) | (shiftKey && 8)
}
