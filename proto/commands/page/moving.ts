/** Commands for navigation, for waiting, and for tabs. */
import { z } from 'zod'
import { limits } from '../../limits.ts'
import { defineCommand } from '../command.ts'
import { actionOutput, emptyOutput } from '../output.ts'
import { targetSchema } from '../target.ts'
import { commandLimits } from '../limits.ts'
import { atLeastOne, exactlyOne } from '../requires.ts'
import { loadFields } from './loading.ts'

const url = z.string().min(1).max(limits.urlBytes)
const aims = { url: url.optional(), go: z.enum(['back', 'forward', 'reload', 'stop']).optional() }

export const navigateCommand = defineCommand({
  name: 'navigate',
  help: 'Open a URL in the selected tab, go back or forward, reload, or stop loading.',
  input: z
    .object({ ...aims, ...loadFields })
    .refine(({ url, go }) => (url === undefined) !== (go === undefined), {
      path: ['url'],
      message: 'must be given, or send go instead: back, forward, reload or stop',
    })
    .meta(exactlyOne(['url'], ['go'])),
  output: actionOutput,
  transport: 'page',
  repeat: 'safe',
  tool: {
    name: 'browser_navigate',
    title: 'Navigate',
    modelHelp:
      'Open a URL, or go back, forward, reload or stop loading. Answers with the page content.',
    readOnly: false,
    additive: true,
    input: z.object(aims),
  },
})

export const waitForCommand = defineCommand({
  name: 'wait_for',
  help: 'Wait for a selector, a text to appear or disappear, a URL, or an idle network.',
  input: z
    .object({
      selector: targetSchema.optional().describe('Or a ref, or role and name.'),
      text: z.string().min(1).max(commandLimits.findChars).optional(),
      text_gone: z.string().min(1).max(commandLimits.findChars).optional(),
      url: url.optional().describe('Part of the URL.'),
      network_idle: z.boolean().optional(),
      timeout: z.number().min(0).max(commandLimits.waitForMs).default(commandLimits.navigateMs),
    })
    .refine(
      (input) =>
        [input.selector, input.text, input.text_gone, input.url, input.network_idle].filter(Boolean)
          .length > 0,
      { path: ['text'], message: 'must be given, or another condition to wait for' },
    )
    .meta({
      anyOf: [
        ...atLeastOne('selector', 'text', 'text_gone', 'url').anyOf,
        { required: ['network_idle'], properties: { network_idle: { const: true } } },
      ],
    }),
  output: actionOutput,
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'POST', path: '/wait-for', answer: 'data' },
  tool: {
    name: 'wait_for',
    title: 'Wait',
    modelHelp: 'Wait for all given: selector, text, text_gone, url, network_idle.',
    readOnly: true,
  },
  task: {
    name: 'wait_for',
    title: 'Wait',
    modelHelp: 'Wait until a text is there, or gone; with neither, until the page has loaded.',
    readOnly: true,
    input: z.object({ text: z.string().optional(), text_gone: z.string().optional() }),
    extraInput: ({ text, text_gone }) => ({
      timeout: commandLimits.taskWaitMs,
      ...(text === undefined && text_gone === undefined && { network_idle: true }),
    }),
  },
})

const tab = z.object({
  id: z.string(),
  url: z.string(),
  title: z.string(),
  selected: z.boolean(),
})
const tabId = z.object({ tab: z.string().min(1).max(64) })

export const tabListCommand = defineCommand({
  name: 'tab_list',
  help: 'List the tabs of the session.',
  input: z.object({}),
  output: z.object({ tabs: z.array(tab) }),
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'GET', path: '/tabs', answer: 'data' },
  tool: { name: 'tab_list', title: 'List tabs', modelHelp: 'List the open tabs.', readOnly: true },
  // The prompt of a task lists the tabs already.
  task: null,
})

export const tabNewCommand = defineCommand({
  name: 'tab_new',
  help: 'Open a tab and select it.',
  input: z.object({ url: url.optional(), ...loadFields }),
  output: tab,
  transport: 'page',
  repeat: 'once',
  rest: { method: 'POST', path: '/tabs', answer: 'data' },
  tool: {
    name: 'tab_new',
    title: 'New tab',
    modelHelp: 'Open a tab and select it.',
    readOnly: false,
    additive: true,
    input: z.object({ url: url.optional() }),
  },
})

export const tabSelectCommand = defineCommand({
  name: 'tab_select',
  help: 'Select the tab that later commands act on.',
  input: tabId,
  output: tab,
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'POST', path: '/tabs/{tab}/select', answer: 'data' },
  tool: {
    name: 'tab_select',
    title: 'Select a tab',
    modelHelp: 'Switch to a tab.',
    readOnly: false,
    additive: true,
  },
})

export const tabCloseCommand = defineCommand({
  name: 'tab_close',
  help: 'Close a tab.',
  input: tabId,
  output: emptyOutput,
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'DELETE', path: '/tabs/{tab}', answer: 'status' },
  tool: { name: 'tab_close', title: 'Close a tab', modelHelp: 'Close a tab.', readOnly: false },
})
