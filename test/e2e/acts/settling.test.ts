/**
 * Goal: an act is over when the page has had the answers that it waits for, and is not held up by what
 * never ends. Method: real Chromium on a page whose server answers when the test says so.
 */
import { createServer, type ServerResponse } from 'node:http'
import t from 'tap'
import type { Browser } from '../../../node-agent/browser/browser.ts'
import { CommandContext } from '../../../node-agent/commands/command-context.ts'
import { commandHandlers } from '../../../node-agent/commands/handlers/handlers.ts'
import { commandContextPartsOf } from '../../../node-agent/commands/parts.ts'
import { evaluateScript } from '../../../node-agent/page/actions/evaluating.ts'
import { commandCatalogue, type CommandInput } from '../../../proto/commands/catalogue.ts'
import { ActionEffects } from '../../../node-agent/page/network/action-effects.ts'
import { InFlight } from '../../../node-agent/page/network/in-flight.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { noLogins } from '../../helpers/browser/page-session.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'

const held: ServerResponse[] = []
const server = createServer((request, response) => {
  response.setHeader('access-control-allow-origin', '*')
  if (!request.url!.startsWith('/events')) return void held.push(response)
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
})
const api = `http://127.0.0.1:${await listenOnLoopback(server)}`
t.teardown(() => closeServer(server))

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
const { sessionId } = await host.claim()
const { browser } = host.sessions.held().find((one) => one.sessionId === sessionId)!
const context = CommandContext.of(commandContextPartsOf(browser as unknown as Browser, noLogins))
const { tab } = await context.actionContext()

async function openRequests(): Promise<void> {
  await context.page.goto(pages.url(`requests?api=${api}`))
  // Those of the document before, which is gone.
  for (const response of held.splice(0)) response.destroy()
}
const begin = (name: string) => evaluateScript(tab, `(begin['${name}'](), null)`)
const clickOn = (target: string) =>
  commandCatalogue
    .find(({ name }) => name === 'click')!
    .input.parse({ target }) as CommandInput<'click'>
const acted = async () => (await evaluateScript(tab, 'acted')) as string[]
const saw = (act: string) => until(act, async () => (await acted()).includes(act))
const asked = (count: number) => until(`${count} are asked`, () => held.length === count)

for (const name of ['blob-worker', 'file-worker', 'events', 'stream', 'poll'] as const) {
  t.test(`nobody waits for ${name}`, async (t) => {
    await openRequests()
    const requests = await InFlight.watch(tab)
    t.teardown(() => requests.stop())
    await begin(name)
    if (name === 'poll') await asked(1)
    else await saw(name.endsWith('worker') ? 'works' : name === 'events' ? 'event' : 'read')
    t.equal(requests.count, 0)
  })
}

t.test('an answer that is held back is waited for, and not twice', async (t) => {
  await openRequests()
  const effects = await ActionEffects.begin(tab)
  t.teardown(() => effects.stop())
  await begin('held')
  await asked(1)
  t.ok(effects.isBusy)
  await effects.over('drawn')
  t.notOk(effects.isBusy, 'it took all the time there is')
})

t.test('an answer that comes is seen by the act that asked for it', async (t) => {
  await openRequests()
  const answering = asked(1).then(() => held.pop()!.end('{}'))
  await commandHandlers.click(context, clickOn('[data-act=held]'))
  await answering
  t.match(await acted(), ['answered'])
})

t.test('what is asked again whenever it was answered is a long poll', async (t) => {
  await openRequests()
  await begin('changes')
  await asked(1)
  const requests = await InFlight.watch(tab)
  t.teardown(() => requests.stop())
  held.pop()!.end('{}')
  await asked(1)
  await saw('answered')
  t.equal(requests.count, 0)
  await begin('held')
  await asked(2)
  t.equal(requests.count, 1)
})

t.test('a motion is not waited for until the page has had it', async () => {
  await openRequests()
  await begin('motion')
  await commandHandlers.mouse_move(context, { x: 200, y: 200 })
  await asked(1)
  held.pop()!.end('{}')
  await saw('moved')
})
