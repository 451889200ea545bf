/** The console in a browser without scripts: signing in. */
import { PlainBrowser } from '../access/portal/plain-browser.ts'

let visitors = 0

/** A browser with an address of its own, which has signed in with this key. */
export async function signedInPlainly(baseUrl: string, key: string): Promise<PlainBrowser> {
  const one = new PlainBrowser(baseUrl, `10.33.0.${++visitors}`)
  await one.submit(await one.get('/console'), '/console/sign-in', { key })
  return one
}
