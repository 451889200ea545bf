/** Goal: a URL that leads nowhere is answered in the form that the client asks for. */
import t from 'tap'
import { playService } from '../../../helpers/gateway/gateway.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

t.test('a browser gets a page with ways on, everyone else JSON', async (t) => {
  const service = await playService()
  t.teardown(() => service.close())
  const ask = async (path: string, accept: string, method = 'GET') => {
    const answer = await fetch(service.gateway.url + path, { method, headers: { accept } })
    const text = await answer.text()
    const type = answer.headers.get('content-type')
    return { status: answer.status, headers: answer.headers, type, text }
  }
  const rows: [path: string, status: number, heading: string][] = [
    ['/nothing-here', 404, 'There is no such page'],
    ['/v1/nothing', 404, 'There is no such page'],
    ['/v1/tools/fetch-webpage', 405, 'This URL is for programs'],
    ['/ws', 400, 'This URL is for WebSockets'],
  ]
  for (const [path, status, heading] of rows) {
    const page = await ask(path, browser)
    t.equal(page.status, status, path)
    t.equal(page.type, 'text/html; charset=utf-8')
    t.match(page.headers.get('content-security-policy'), "default-src 'none'")
    t.equal(page.headers.get('vary'), 'accept')
    t.match(page.text, `<h1>${heading}</h1>`)
    t.match(page.text, page.headers.get('x-request-id')!)
    t.match(page.text, 'href="/demo"')
    t.match(await ask(path, browser, 'HEAD'), { status, text: '' })
    for (const [accept, method] of [
      ...[['*/*'], ['application/json'], ['text/plain, */*']],
      [browser, 'DELETE'],
    ]) {
      const other = await ask(path, accept!, method)
      t.match(other.type, 'application/json', `${method ?? 'GET'} ${path} for ${accept}`)
      t.ok(JSON.parse(other.text).error.code)
    }
  }
  const { headers } = await ask('/v1/tools/fetch-webpage', browser)
  t.match(headers.get('allow'), 'POST')
  // A route that answers is no wrong URL, also where it refuses.
  t.match(await ask('/v1/sessions', browser), { status: 401, type: 'application/json' })
})

t.test('the landing page leads to the pages that this gateway has', async (t) => {
  const service = await playService()
  t.teardown(() => service.close())
  const landing = await (await fetch(service.gateway.url)).text()
  const links = [...landing.matchAll(/ href="(\/[^"]*)"/g)].map(([, path]) => path!)
  t.ok(links.length > 4)
  for (const path of ['/demo', '/portal', '/openapi.json', '/metrics']) t.ok(links.includes(path))
  for (const path of links) {
    const answer = await fetch(service.gateway.url + path, { redirect: 'manual' })
    await answer.text()
    t.not(answer.status, 404, path)
  }
})
