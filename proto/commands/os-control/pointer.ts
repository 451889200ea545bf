/**
 * Mouse commands. Coordinates are pixels from the top left of the screen, or of the page in a
 * headless session; the agent knows the size and refuses those outside. Shapes: §4 of the
 * browser-service contract.
 */
import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { emptyOutput } from '../output.ts'
import { commandLimits } from '../limits.ts'
import { exactlyOne, together } from '../requires.ts'

export const mouseButtons = ['left', 'middle', 'right'] as const
export type MouseButton = (typeof mouseButtons)[number]

const px = z.number().min(0)
const button = z.enum(mouseButtons).default('left')
const spot = z.object({ x: px, y: px })
const press = spot.extend({ button })

const waitMs = z.number().min(0).max(commandLimits.selectorMaxMs)

/** Either a position or a selector. The contract's SDK has another name for the wait. */
const clickTarget = z
  .object({
    x: px.optional(),
    y: px.optional(),
    button,
    selector: z.string().min(1).max(commandLimits.selectorChars).optional().describe('CSS'),
    index: z.number().int().min(0).default(0).describe('Which of the matching elements, from 0.'),
    timeout: waitMs.optional().describe('Milliseconds to wait for the selector; default 5000.'),
    selectorTimeoutMs: waitMs.optional().describe('Same as timeout.'),
  })
  .superRefine(({ x, y, selector }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (selector !== undefined && (x !== undefined || y !== undefined)) {
      refuse('selector', 'cannot be combined with x and y: send a position or a selector, not both')
    } else if (selector === undefined && x === undefined) {
      refuse('x', 'must be given with y, or send a selector instead')
    } else if (selector === undefined && y === undefined) {
      refuse('y', 'must be given with x')
    }
  })
  .meta({ ...exactlyOne(['selector'], ['x', 'y']), ...together('x', 'y') })

export const mouseClickCommand = defineCommand({
  name: 'mouse_click',
  help: 'Click at a position, or on the element that a selector matches.',
  input: clickTarget,
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/mouse/click', answer: 'status' },
  tool: {
    name: 'os_click',
    title: 'Click on the desktop',
    modelHelp: 'Click a position of the desktop: native dialogs, browser chrome, other windows.',
    readOnly: false,
    input: press,
  },
  task: {
    name: 'mouse_click',
    title: 'Click a place',
    modelHelp: 'Click a place of the picture: px from its top left. Elements are clicked by ref.',
    readOnly: false,
    visual: true,
    input: press,
  },
})

export const mouseDoubleClickCommand = defineCommand({
  name: 'mouse_double_click',
  help: 'Double-click at a position.',
  input: press,
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/mouse/doubleClick', answer: 'status' },
})

export const mouseDownCommand = defineCommand({
  name: 'mouse_down',
  help: 'Press a mouse button at a position and hold it.',
  input: press,
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/mouse/down', answer: 'status' },
})

export const mouseUpCommand = defineCommand({
  name: 'mouse_up',
  help: 'Release a mouse button at a position.',
  input: press,
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/mouse/up', answer: 'status' },
})

export const mouseMoveCommand = defineCommand({
  name: 'mouse_move',
  help: 'Move the pointer to a position.',
  input: spot,
  output: emptyOutput,
  transport: 'os',
  repeat: 'safe',
  rest: { method: 'POST', path: '/mouse/move', answer: 'status' },
})

export const dragAndDropCommand = defineCommand({
  name: 'drag_and_drop',
  help: 'Press at one position, move to another along a path, and release there.',
  input: z.object({ startX: px, startY: px, endX: px, endY: px, button }),
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/drag-and-drop', answer: 'status' },
  task: {
    name: 'mouse_drag',
    title: 'Drag from place to place',
    modelHelp: 'Press at one place of the picture and release at another, in px from its top left.',
    readOnly: false,
    visual: true,
    input: z.object({ startX: px, startY: px, endX: px, endY: px }),
  },
})

const units = z.number().min(-commandLimits.scrollUnits).max(commandLimits.scrollUnits)

export const scrollCommand = defineCommand({
  name: 'scroll',
  help:
    'Turn the mouse wheel at a position, in units, not pixels; positive is down and to the ' +
    'right.',
  input: spot.extend({
    deltaY: units,
    deltaX: units.default(0),
    steps: z
      .number()
      .int()
      .min(1)
      .max(commandLimits.scrollSteps)
      .default(1)
      .describe('Number of smaller scrolls to split it into.'),
    useOs: z
      .boolean()
      .default(false)
      .describe(
        'Scroll through the operating system: reaches other windows and moves the real pointer.',
      ),
  }),
  output: emptyOutput,
  transport: 'page',
  repeat: 'once',
  rest: { method: 'POST', path: '/scroll', answer: 'status' },
})
