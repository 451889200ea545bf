/**
 * A page in which a task has typed a secret waits until the task is over, and sends it elsewhere then,
 * itself or from a window that it opens. Method: a service, a task of a scripted model, a client that
 * does what the page's script would, and a second site that writes down what reaches it.
 */
import type { Page } from 'playwright-core'
import t from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { finish, obeying, onThing, type Step } from '../../helpers/models/obeying.ts'
import { createSession } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { serveTwoSites } from '../../helpers/pages/two-sites.ts'
import { until } from '../../helpers/lib/until.ts'

const sites = await serveTwoSites()
t.teardown(() => sites.close())
const { model, service, tasks } = await startTaskService(t)
const session = await createSession(service.rest)
const fenced = { url: sites.url, allowed_domains: [sites.host], allow_private_network: true }
const typing = onThing('type', 'textbox "Words"', { text: '<secret>password</secret>' })

async function afterTask(order: object, ...steps: readonly Step[]): Promise<Page> {
  model.answerWith(obeying(...steps, finish()))
  const id = await tasks.start({ prompt: 'Sign in.', ...order }, session.id)
  const task = await tasks.ended(id)
  t.equal(task.status, 'COMPLETED', task.error ?? '')
  sites.forget()
  const browser = await connectPlaywright(session.cdp_url)
  t.teardown(() => browser.close())
  const pages = browser.contexts()[0]!.pages()
  return pages.find((page) => page.url().startsWith(sites.url))!
}

/** Whether it got there. */
const sends = (page: Page, path: string) =>
  page.evaluate<boolean>(
    `fetch(${JSON.stringify(sites.otherUrl + path)}, { mode: 'no-cors' }).then(() => true, () => false)`,
  )
const arrived = (path: string) => sites.carriedOff.some((visit) => visit.includes(path))

t.test('what a page has seen stays within the sites of its task', async (t) => {
  const page = await afterTask({ ...fenced, secret_values: { password: 'open sesame' } }, typing)
  t.ok(await page.evaluate('document.documentElement.innerHTML.length > 0'))
  // A proxy's refusal is an answer to a page that may not read it.
  await sends(page, 'itself')
  const [other] = await Promise.all([
    page.context().waitForEvent('page'),
    page.evaluate(`void open(${JSON.stringify(sites.url)})`),
  ])
  await other.waitForLoadState()
  await page.goto('about:blank')
  await sends(other, 'window')
  t.same(sites.carriedOff, [], 'neither it nor what it opened')
  await other.close()
  await until('once they are gone or blank, there is nothing to keep', async () => {
    const reply = await page.goto(`${sites.otherUrl}after`).catch(() => null)
    return reply?.status() === 200
  })
})

t.test('a task without secrets leaves nothing behind', async (t) => {
  const page = await afterTask(fenced)
  await sends(page, 'free')
  t.ok(arrived('/free'))
})
