/** Translates a viewer's input on the page of a headless session to CDP calls. */
import type { InputMessage } from '../messages.ts'

interface CdpCall {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

const mouseTypes = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const
const textOfKeys: Readonly<Record<string, string>> = { Enter: '\r' }
const controlOrMeta = 2 | 4

export function toCdp(message: InputMessage): CdpCall {
  switch (message.type) {
    case 'mouse': {
      const { act, x, y, button, buttons, modifiers } = message
      return {
        method: 'Input.dispatchMouseEvent',
        params: {
          ...{ type: mouseTypes[act], x, y, button, buttons, modifiers },
          ...(act !== 'move' && { clickCount: message.clicks }),
        },
      }
    }
    case 'wheel': {
      const { x, y, dx, dy, modifiers } = message
      const params = { type: 'mouseWheel', x, y, deltaX: dx, deltaY: dy, modifiers }
      return { method: 'Input.dispatchMouseEvent', params }
    }
    case 'key':
      return key(message)
    case 'text':
      return { method: 'Input.insertText', params: { text: message.text } }
  }
}

/**
 * Only keys that type a character have a `text`, and Chromium types only for keys with a `text`.
 */
function key(message: Extract<InputMessage, { type: 'key' }>): CdpCall {
  const { act, key, code, keyCode, location, repeat, modifiers } = message
  const types = [...key].length === 1 && (modifiers & controlOrMeta) === 0
  const text = act === 'down' ? (types ? key : textOfKeys[key]) : undefined
  const type = act === 'up' ? 'keyUp' : text === undefined ? 'rawKeyDown' : 'keyDown'
  const params = {
    ...{ type, key, code, windowsVirtualKeyCode: keyCode, location, modifiers },
    ...{ autoRepeat: repeat, isKeypad: location === 3 },
    ...(text !== undefined && { text, unmodifiedText: text }),
  }
  return { method: 'Input.dispatchKeyEvent', params }
}
