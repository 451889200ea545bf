/**
 * An attacker with a session wants files of their making in a folder of the host: where keys, cron
 * tables or shell profiles are. They ask the browser to download there, in every way of spelling
 * the call that Chromium understands. Method: one service, a real Chromium, a site with downloads.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fileClient } from '../../helpers/service/files.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { createSession, startService } from '../../helpers/service/service.ts'
import { connectSpelt, nested, spellings, type SpeltCdp } from '../../helpers/gateway/spelt-cdp.ts'
import { until } from '../../helpers/lib/until.ts'

const site = createServer((request, response) => {
  if (request.url !== '/') response.setHeader('content-disposition', 'attachment')
  response.setHeader('content-type', 'text/html').end('<title>Files</title>')
})
const siteUrl = `http://127.0.0.1:${await listenOnLoopback(site)}/`
const service = await startService({ env: { POOL_HEADLESS: '1' } })
const outside = mkdtempSync(join(tmpdir(), 'troupe-attack-'))
t.teardown(async () => {
  await service.stop()
  await closeServer(site)
  rmSync(outside, { recursive: true, force: true })
})
const files = fileClient(service)

async function openPage(t: Test) {
  const body = { session: { initial_url: siteUrl }, browser: { headless: { active: true } } }
  const session = await createSession(service.rest, body)
  const cdp = await connectSpelt(session.cdp_url)
  t.teardown(async () => {
    cdp.close()
    await service.rest('DELETE', '/v1/sessions/all')
  })
  const { result } = await cdp.say('{"id":1,"method":"Target.getTargets"}')
  const targets = result!['targetInfos'] as { type: string; targetId: string }[]
  const { targetId } = targets.find(({ type }) => type === 'page')!
  const attach = async (flatten: boolean) => {
    const params = { targetId, flatten }
    const call = JSON.stringify({ id: 2, method: 'Target.attachToTarget', params })
    return String((await cdp.say(call)).result!['sessionId'])
  }
  return { session, cdp, flat: await attach(true), nest: await attach(false) }
}

/** What the page downloads lies with the session, and not where the attacker wants it. */
async function download(t: Test, cdp: SpeltCdp, flat: string, count: number): Promise<void> {
  const href = `${siteUrl}loot-${count}`
  const expression = `Object.assign(document.createElement('a'), { href: '${href}' }).click()`
  await cdp.say(
    JSON.stringify({ id: 3, method: 'Runtime.evaluate', params: { expression }, sessionId: flat }),
  )
  await until('the download is over', () => {
    const kept = files.onDisk('downloads').filter((name) => !name.endsWith('.crdownload'))
    return kept.length === count || readdirSync(outside).length > 0
  })
  t.same(readdirSync(outside), [])
}

for (const domain of ['Browser', 'Page']) {
  t.test(`with ${domain}.setDownloadBehavior, however it is written`, async (t) => {
    const { cdp, flat, nest } = await openPage(t)
    const params = { behavior: 'allow', downloadPath: outside }
    const call = { id: 4, method: `${domain}.setDownloadBehavior`, params }
    const own = JSON.stringify(domain === 'Page' ? { ...call, sessionId: flat } : call)
    let count = 0
    for (const [name, spell] of Object.entries(spellings)) {
      t.comment(name)
      await cdp.say(spell(own))
      await download(t, cdp, flat, ++count)
    }
    if (domain === 'Browser') return
    for (const [name, spell] of Object.entries(spellings)) {
      t.comment(`${name}, nested`)
      const inner = spell(JSON.stringify(call))
      await cdp.say(spell(nested(inner, nest)))
      await download(t, cdp, flat, ++count)
    }
  })
}
