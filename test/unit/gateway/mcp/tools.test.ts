/**
 * Goal: a tool's requests to the service and its answers to a model, in cases that are rare with a
 * browser. Method: tools on a service that the test plays.
 */
import t from 'tap'
import { pageCommandTools } from '../../../../gateway/mcp/tools/command-tools.ts'
import { fixedSession } from '../../../../gateway/mcp/tools/default-session.ts'
import {
  ServiceClient,
  type ServiceAnswer,
  type ServiceRequest,
} from '../../../../gateway/mcp/service.ts'
import { mcpLimits } from '../../../../gateway/mcp/limits.ts'
import { commandLimits } from '../../../../proto/commands/limits.ts'

/** Calls a tool; the service answers with this output. */
async function call(name: string, input: object, answer: Partial<ServiceAnswer>) {
  const asked: ServiceRequest[] = []
  const service = new ServiceClient(async (request) => {
    asked.push(request)
    return { status: 200, body: undefined, ...answer }
  })
  const tool = pageCommandTools.find(({ definition }) => definition.name === name)!
  const desk = {
    service,
    defaultSession: fixedSession('ses_1'),
    signal: new AbortController().signal,
  }
  const told = await tool.run({ session: undefined, input: { ...input } }, desk)
  return { ...told, asked: asked[0]! }
}

const output = (data: object) => ({ body: { data } })
const page = { url: 'http://a/', title: 'A' }

t.test('an action reports its results in order of importance', async (t) => {
  const acted = { ...page, changes: '+ e3 link "B"', matches: 2, opened: 'T2', dialog: 'alert: Hi' }
  const { text, structured } = await call('click', { target: 'e1' }, output(acted))
  t.same(text.split('\n'), [
    'Done. On A (http://a/)',
    'The target matched 2 elements, the first was meant.',
    'Tab T2 opened and is selected now.',
    '+ e3 link "B"',
    'A dialog is open, answer it with handle_dialog: alert: Hi',
  ])
  t.same(structured, { session: 'ses_1', ...acted })
  const quiet = await call('click', { target: 'e1' }, output({ ...page, title: '', changes: '' }))
  t.equal(quiet.text, 'Done. On Untitled (http://a/)\nNothing has changed on the page.')
})

t.test('lists are lines, and false values are left out', async (t) => {
  const tabs = [
    { id: '1', ...page, selected: true },
    { id: '2', ...page, selected: false },
  ]
  const { text } = await call('tab_list', {}, output({ tabs }))
  t.same(text.split('\n'), [
    'tabs:',
    '- id: 1, url: http://a/, title: A, selected',
    '- id: 2, url: http://a/, title: A',
  ])
  t.equal((await call('tab_close', { tab: '1' }, output({}))).text, 'Done.')
})

t.test('screenshots are requested in a model’s size, and never sent larger', async (t) => {
  const picture = { image: 'AAAA', type: 'image/webp', left: 0, top: 87, scale: 0.5 }
  const shown = await call('screenshot', { target: 'e1' }, output(picture))
  const { body } = shown.asked
  t.match(body, { target: 'e1', format: 'webp', max_width: commandLimits.modelPictureWidthPx })
  t.same(shown.image, { data: 'AAAA', mimeType: 'image/webp' })
  t.match(shown.text, 'x 0, y 87 for os_click, 0.5 px for one of the page')
  t.notOk('image' in shown.structured)
  const cut = { ...picture, cut_from: { width: 1_280, height: 40_000 } }
  const told = await call('screenshot', { full_page: true }, output(cut))
  t.match(told.text, /cut off: the whole is 1280×40000 px; scroll, or take an element/)
  const desktop = await call('screenshot', { source: 'desktop' }, output(picture))
  t.same(desktop.asked.body, { source: 'desktop' }, 'a desktop has one form only')
  const large = { ...picture, image: 'A'.repeat(mcpLimits.mcpImageChars + 1) }
  await t.rejects(call('screenshot', {}, output(large)), {
    type: 'too_large',
    message: /characters of base64/,
  })
})

t.test('errors keep their type; those of a proxy in between are reported as such', async (t) => {
  const refused = { code: 409, type: 'stale_ref', message: 'It is gone.', ref: 'e1' }
  await t.rejects(call('click', { target: 'e1' }, { status: 409, body: { error: refused } }), {
    type: 'stale_ref',
    message: 'It is gone.',
    details: { ref: 'e1' },
  })
  const newer = { code: 418, type: 'teapot', message: 'Short and stout.' }
  await t.rejects(call('snapshot', {}, { status: 418, body: { error: newer } }), {
    type: 'internal',
    message: 'Short and stout.',
  })
  await t.rejects(call('snapshot', {}, { status: 502 }), {
    type: 'unavailable',
    message: /status 502/,
  })
})
