/**
 * An attacker with a session wants what lies on the host: the service's keys, other people's files.
 * Their browser could show it, and send it to a page of theirs. Method: one service with several
 * browsers, a client that may do what it likes, and a look at what a browser's processes can see.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { connectPlaywright, isBrowser } from '../../helpers/browser/browsers.ts'
import { fileClient, type DownloadJson } from '../../helpers/service/files.ts'
import { isolationOf } from '../../helpers/service/isolation-here.ts'
import { descendantsOf } from '../../helpers/lib/processes.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({ env: { POOL_HEADLESS: '2', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const skip = (await isolationOf(service)) === 'none' && 'this machine lets nobody make namespaces'

const key = join(service.dataDir, 'seal.key')
const run = join(service.dataDir, 'run')
const host = join(run, readdirSync(run)[0]!)

async function attack(t: Test, wanted: object = headless) {
  const { cdp_url: url, id } = await createSession(service.rest, wanted)
  const browser = await connectPlaywright(url)
  t.teardown(async () => {
    await browser.close()
    await service.rest('DELETE', `/v1/sessions/${id}`)
  })
  return { id, page: browser.contexts()[0]!.pages()[0]! }
}

const attacker = async (t: Test): Promise<Page> => (await attack(t)).page

/** What a page reads of a file of the host that the browser is told to put into a field. */
async function uploaded(page: Page, path: string): Promise<string> {
  await page.setContent('<input type=file>')
  const cdp = await page.context().newCDPSession(page)
  const { root } = await cdp.send('DOM.getDocument')
  const { nodeId } = await cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input' })
  await cdp.send('DOM.setFileInputFiles', { nodeId, files: [path] })
  await cdp.detach()
  const read =
    "document.querySelector('input').files[0].text().catch(({ name }) => 'unreadable: ' + name)"
  return page.evaluate<string>(read)
}

t.test('by an upload', { skip }, async (t) => {
  const page = await attacker(t)
  const downloads = await until('there are other browsers', () => {
    const folders = readdirSync(host).map((browser) => join(host, browser, 'downloads'))
    return folders.length > 1 && folders.every((folder) => existsSync(folder)) && folders
  })
  for (const folder of downloads) writeFileSync(join(folder, 'one.txt'), `kept in ${folder}`)
  const seen: string[] = []
  for (const folder of downloads) seen.push(await uploaded(page, join(folder, 'one.txt')))
  t.equal(seen.filter((text) => text.startsWith('kept in ')).length, 1, 'their own folder alone')
  const program = process.argv[1]!
  for (const path of [
    key,
    '/etc/passwd',
    '/etc/hostname',
    `/proc/${service.pid}/environ`,
    program,
  ]) {
    t.match(await uploaded(page, path), /^unreadable: /, path)
  }
})

t.test('by going there', { skip }, async (t) => {
  const page = await attacker(t)
  for (const address of [
    `file://${key}`,
    'file:///usr/share/',
    `view-source:file://${key}`,
    'chrome://version/',
    'devtools://devtools/bundled/inspector.html',
  ]) {
    await t.rejects(page.goto(address), /ERR_BLOCKED_BY_ADMINISTRATOR|ERR_ABORTED/, address)
    // The page that says so comes a moment after the refusal.
    const text = await until('a page', () => page.content().catch(() => false as const))
    t.notMatch(text, readFileSync(key, 'utf8').trim(), address)
    t.notMatch(text, 'applications', address)
  }
})

t.test(
  'by going to one closed page after another, which may end the browser',
  { skip },
  async (t) => {
    const page = await attacker(t)
    for (let round = 0; round < 4; round++) {
      await t.rejects(page.goto('chrome://version/'), /ERR_BLOCKED_BY_ADMINISTRATOR/)
    }
    t.equal(await page.evaluate('1 + 1'), 2, 'the browser lives')
  },
)

t.test('by hand, in the address bar of a desktop', { skip }, async (t) => {
  const { id, page } = await attack(t, {})
  const press = (...keys: string[]) =>
    service.rest('POST', `/v1/sessions/${id}/keyboard/shortcut`, { keys })
  // A DevTools window, the source of a page and a file chooser read more than pages do.
  await press('Ctrl', 'Shift', 'i')
  for (const address of [`file://${key}`, `view-source:file://${key}`, 'chrome://version']) {
    await press('Ctrl', 'l')
    const typed = { text: `${address}\n` }
    t.equal((await service.rest('POST', `/v1/sessions/${id}/keyboard/type`, typed)).status, 200)
    const text = await until('it is refused', async () => {
      const seen = await page.content().catch(() => '')
      return /ERR_BLOCKED_BY_ADMINISTRATOR|blocked/i.test(seen) && seen
    })
    t.notMatch(text, readFileSync(key, 'utf8').trim(), address)
    await page.goto('about:blank')
  }
  const cdp = await page.context().browser()!.newBrowserCDPSession()
  const { targetInfos } = await cdp.send('Target.getTargets')
  t.notOk(targetInfos.some(({ url }) => url.startsWith('devtools:')))
})

t.test('by a link in the place of a download', { skip }, async (t) => {
  const { id, page } = await attack(t)
  const downloads = `/v1/sessions/${id}/downloads`
  const files = fileClient(service)
  const href = 'data:application/octet-stream,mine'
  await page.evaluate(
    `Object.assign(document.createElement('a'), { href: '${href}', download: 'a' }).click()`,
  )
  const file = await until('it is whole', async () => {
    const [one] = await files.list<DownloadJson>(downloads)
    return one?.state === 'completed' && `${downloads}/${one.id}`
  })
  t.match(await files.bytes(file), { status: 200, text: 'mine' })
  // As a browser could, once a page had taken it over: this is its own folder.
  const [name] = files.onDisk('downloads')
  const folder = readdirSync(host).find((one) => existsSync(join(host, one, 'downloads', name!)))!
  const place = join(host, folder, 'downloads', name!)
  for (const put of [
    () => symlinkSync(key, place),
    () => symlinkSync('/etc/passwd', place),
    () => spawnSync('mkfifo', [place]),
  ]) {
    rmSync(place)
    put()
    t.match(await files.bytes(file), { status: 404 })
  }
})

t.test('as a program that has taken the browser over', { skip }, async (t) => {
  await attacker(t)
  const seen = await until('other browsers are there, and stay while they are looked at', () => {
    const found = descendantsOf(service.pidOf('node-agent')).filter(isBrowser)
    const views = found.map(({ pid, command }) => viewOf(pid, command))
    return views.length > 1 && views.every((view) => view) && views
  })
  for (const view of seen) {
    if (!view) continue
    t.same(
      view.top.filter((name) => ['home', 'root', 'var', 'sys', 'srv', 'opt'].includes(name)),
      ['var'],
    )
    t.same(view.var, ['cache'])
    t.same(view.run, [])
    t.same(view.dataDir, ['run'])
    t.same(view.host, [view.own.slice(host.length + 1)])
    const own = ['agent', 'downloads', 'extensions', 'home', 'profile', 'uploads']
    t.same(view.ownFolder.sort(), own)
    t.same(
      view.commands.filter((text) => /nats-server|cli\.js|node-agent\/main/.test(text)),
      [],
    )
    t.notOk(
      view.commands.some((text) => text.includes('--user-data-dir=') && !text.includes(view.own)),
    )
  }
})

/** What a browser's process finds in its file system. Undefined for one that is ending: it has no root. */
function viewOf(pid: number, command: string) {
  const own = /--user-data-dir=(\S+)\/profile/.exec(command)![1]!
  const root = `/proc/${pid}/root`
  const names = (path: string) => readdirSync(`${root}${path}`)
  try {
    const processes = names('/proc').filter((name) => /^\d+$/.test(name))
    return {
      own,
      top: names('/'),
      var: names('/var'),
      run: names('/run'),
      dataDir: names(service.dataDir),
      host: names(host),
      ownFolder: names(own),
      commands: processes.map((one) => commandOf(`${root}/proc/${one}/cmdline`)),
    }
  } catch {
    return undefined
  }
}

/** A process may end between two looks. */
function commandOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
