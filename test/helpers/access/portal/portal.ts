/** Signed-in people on the portal. */
import { until } from '../../lib/until.ts'
import { password } from '../people.ts'
import { PlainBrowser } from './plain-browser.ts'

/** Each in a browser without scripts, with its own address below `network`. */
export function signedInPlain(baseUrl: string, network: string) {
  let browsers = 0
  return async (email: string): Promise<PlainBrowser> => {
    const one = new PlainBrowser(baseUrl, `${network}.${++browsers}`)
    await until(
      'they are signed in',
      async () => (await one.signIn(email, password)).status === 200,
    )
    return one
  }
}
