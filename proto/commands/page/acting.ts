/**
 * Actions on elements of the selected tab. Each waits until its target exists, is visible, does not
 * move and is not covered; its answer says what has changed.
 */
import { z } from 'zod'
import { domainSchema } from '../../session/domain.ts'
import { limits } from '../../limits.ts'
import { defineCommand } from '../command.ts'
import { actionOutput } from '../output.ts'
import { mouseButtons } from '../os-control/pointer.ts'
import { withTarget, targetSchema } from '../target.ts'
import { commandLimits } from '../limits.ts'
import { atLeastOne, exactlyOne, together } from '../requires.ts'

const timeout = z
  .number()
  .min(0)
  .max(commandLimits.selectorMaxMs)
  .default(commandLimits.selectorMs)
  .describe('Milliseconds to wait until the element can be acted on.')

const act = { output: actionOutput, transport: 'page', repeat: 'once' } as const

const clickFields = {
  button: z.enum(mouseButtons).default('left'),
  double: z.boolean().default(false),
  force: z.boolean().default(false).describe('Even if covered.'),
}

export const clickCommand = defineCommand({
  ...act,
  name: 'click',
  help: 'Click an element.',
  input: withTarget({ ...clickFields, timeout }),
  tool: {
    name: 'click',
    title: 'Click',
    modelHelp: 'Click an element by its ref. Answers with what changed on the page.',
    readOnly: false,
    input: z.object({ target: targetSchema, ...clickFields }),
  },
})

const origins = z
  .array(domainSchema)
  .min(1)
  .max(limits.taskDomains)
  .optional()
  .describe(
    'Allowed domains: if the document of the field is not on one of them, nothing is typed.',
  )

const typeFields = {
  text: z.string().max(commandLimits.typedChars),
  append: z.boolean().default(false).describe('Keep existing text.'),
  submit: z.boolean().default(false).describe('Press Enter after.'),
}

export const typeCommand = defineCommand({
  ...act,
  name: 'type',
  help: 'Type text into a field, replacing its content.',
  input: withTarget({ ...typeFields, origins, timeout }),
  tool: {
    name: 'type',
    title: 'Type',
    modelHelp: 'Fill in a field. Replaces what is in it unless append is set.',
    readOnly: false,
    input: z.object({ target: targetSchema, ...typeFields }),
  },
})

export const pressCommand = defineCommand({
  ...act,
  name: 'press',
  help: 'Press a key or a combination, such as Enter or Control+a, in the focused element.',
  input: z.object({ key: z.string().min(1).max(64) }),
  tool: {
    name: 'press_key',
    title: 'Press a key',
    modelHelp: 'Press a key or combination (Enter, Escape, Control+a) in the focused element.',
    readOnly: false,
  },
})

const pagePx = z.number().min(0)
const place = { x: pagePx.optional(), y: pagePx.optional() }

export const hoverCommand = defineCommand({
  ...act,
  name: 'hover',
  help: 'Move the pointer over an element, or to a position on the page.',
  input: z
    .object({
      target: targetSchema.optional(),
      selector: targetSchema.optional(),
      ...place,
      timeout,
    })
    .superRefine(({ target, selector, x, y }, context) => {
      const aims = [target, selector, x ?? y].filter((aim) => aim !== undefined)
      if (aims.length !== 1 || (x === undefined) !== (y === undefined)) {
        const message = 'must be given alone, or send x and y instead'
        context.addIssue({ code: 'custom', path: ['target'], message })
      }
    })
    .meta({ ...exactlyOne(['target'], ['selector'], ['x', 'y']), ...together('x', 'y') }),
  rest: { method: 'POST', path: '/hover', answer: 'data' },
  tool: {
    name: 'hover',
    title: 'Hover',
    modelHelp: 'Point at an element, or at x and y of the page, for menus that open on hover.',
    readOnly: false,
    additive: true,
    input: z.object({ target: targetSchema.optional(), ...place }),
  },
  task: {
    name: 'hover',
    title: 'Hover',
    modelHelp: 'Point at an element, for menus that open on hover.',
    readOnly: false,
    additive: true,
    input: z.object({ target: targetSchema }),
  },
})

const values = z
  .array(z.string().max(commandLimits.typedChars))
  .min(1)
  .max(commandLimits.selectedOptions)
  .describe('Values or visible labels of options.')

export const selectOptionCommand = defineCommand({
  ...act,
  name: 'select_option',
  help: 'Select options of a select element by value or visible label.',
  input: withTarget({
    values: values.optional(),
    value: z.string().optional().describe('Same as one entry of values.'),
    label: z.string().optional().describe('Same as one entry of values.'),
    timeout,
  })
    .refine(({ values, value, label }) => (values ?? value ?? label) !== undefined, {
      path: ['values'],
      message: 'must be given: option values or visible labels',
    })
    .meta(atLeastOne('values', 'value', 'label')),
  rest: { method: 'POST', path: '/select-option', answer: 'data' },
  tool: {
    name: 'select_option',
    title: 'Select an option',
    modelHelp: 'Choose in a select (combobox, listbox) by option values or visible labels.',
    readOnly: false,
    input: z.object({ target: targetSchema, values }),
  },
})

const px = z.number().min(-commandLimits.dragPx).max(commandLimits.dragPx)
/** An array and not a tuple, because many providers of models refuse the schema of a tuple. */
const point = z.array(px).length(2)
const dragFields = {
  from: targetSchema,
  to: z.string().min(1).max(commandLimits.selectorChars).optional(),
  from_offset: point.optional().describe('[x, y] px from its top left.'),
  to_offset: point.optional(),
  by: z.object({ dx: px, dy: px }).optional(),
  path: z
    .array(point)
    .min(1)
    .max(commandLimits.dragPoints)
    .optional()
    .describe('Points from the top left of from.'),
}

export const dragCommand = defineCommand({
  ...act,
  name: 'drag',
  help: 'Drag an element onto another one, by a distance, or along a path.',
  input: z
    .object({ ...dragFields, timeout })
    .refine(({ to, by, path }) => [to, by, path].some(Boolean) && !(to && by), {
      path: ['to'],
      message: 'must be given without by, or send by or path instead: where the drag ends',
    }),
  tool: {
    name: 'drag',
    title: 'Drag',
    modelHelp: 'Drag onto to, by px, or along path.',
    readOnly: false,
    input: z.object(dragFields),
  },
  // Models of tasks get flat fields only.
  task: {
    name: 'drag',
    title: 'Drag',
    modelHelp: 'Drag an element onto another, or by dx and dy px.',
    readOnly: false,
    input: z.object({
      from: targetSchema,
      to: dragFields.to,
      dx: px.optional(),
      dy: px.optional(),
    }),
    extraInput: ({ dx, dy }) =>
      dx === undefined && dy === undefined ? {} : { by: { dx: dx ?? 0, dy: dy ?? 0 } },
  },
})

const scrollFields = {
  target: targetSchema
    .optional()
    .describe('What to scroll, or bring into view; default: the page.'),
  pages: z.number().min(-50).max(50).default(0.8).describe('Screenfuls; negative is up.'),
}

export const scrollPageCommand = defineCommand({
  ...act,
  name: 'scroll_page',
  help: 'Scroll the page or an element by screenfuls; with pages 0, bring it into view.',
  input: z.object({ ...scrollFields, timeout }),
  tool: {
    name: 'scroll',
    title: 'Scroll',
    modelHelp: 'Scroll by screenfuls to see more. pages: 0 brings the target into view.',
    readOnly: false,
    additive: true,
    input: z.object(scrollFields),
  },
})

const fileFields = {
  name: z.string().min(1).max(200).describe('File name.'),
  content: z.string().max(commandLimits.inlineFileChars).describe('Text, or bytes as base64.'),
  base64: z.boolean().default(false),
}

export const uploadCommand = defineCommand({
  ...act,
  name: 'upload',
  help: 'Put files, given or uploaded before, into a file input, or drop them where a page takes dropped files.',
  input: withTarget({
    ...fileFields,
    name: fileFields.name.optional(),
    content: fileFields.content.optional(),
    more: z
      .array(z.strictObject(fileFields))
      .max(commandLimits.uploadMore)
      .optional()
      .describe('Further files for the same input, which must take several.'),
    uploads: z
      .array(z.string().max(commandLimits.uploadIdChars))
      .min(1)
      .max(commandLimits.uploadMore + 1)
      .optional()
      .describe(
        'Ids of files uploaded before, instead of `content`: of any size, after the others.',
      ),
    timeout,
  })
    .refine(
      ({ name, content, uploads }) =>
        name !== undefined || (content === undefined && uploads !== undefined),
      { path: ['name'], message: 'must be given with content, unless there are uploads' },
    )
    .refine(({ name, content }) => name === undefined || content !== undefined, {
      path: ['content'],
      message: 'must be given with name',
    })
    .meta({ ...atLeastOne('content', 'uploads'), ...together('name', 'content') }),
  tool: {
    name: 'upload',
    title: 'Upload a file',
    modelHelp: 'Put a file with the given content into a file input or drop zone.',
    readOnly: false,
    input: z.object({ target: targetSchema, ...fileFields }),
  },
})

export const handleDialogCommand = defineCommand({
  ...act,
  name: 'handle_dialog',
  help: 'Accept or dismiss the open dialog (alert, confirm, prompt, beforeunload).',
  input: z.object({
    accept: z.boolean(),
    text: z.string().max(commandLimits.typedChars).optional().describe('The answer to a prompt.'),
  }),
  tool: {
    name: 'handle_dialog',
    title: 'Answer a dialog',
    modelHelp: 'Accept or dismiss an open alert, confirm or prompt; nothing else works until then.',
    readOnly: false,
  },
})

export const evaluateCommand = defineCommand({
  ...act,
  name: 'evaluate',
  help: 'Run JavaScript in the page; only in sessions created with browser.evaluate.active.',
  input: z.object({ expression: z.string().min(1).max(commandLimits.scriptChars) }),
  output: z.object({ value: z.unknown() }),
})
