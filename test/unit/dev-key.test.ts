/**
 * Goal: the development key is offered where it works, and nowhere else. Whom a gateway lets in with
 * it is tested in gateway-http and in test/attack.
 */
import t from 'tap'
import { devKey } from '../../proto/key.ts'
import { Screen } from '../../runtime/cli/screen.ts'
import { welcome } from '../../runtime/cli/welcome.ts'
import { loadConfig } from '../../runtime/config.ts'

const welcomeWith = (env: Record<string, string>) => {
  const config = loadConfig(env)
  return welcome(new Screen(), { config, base: 'http://127.0.0.1:1', logPath: undefined }).join(
    '\n',
  )
}

t.test('what `troupe up` prints has the development key only where it works', async (t) => {
  const publicUrl = { PUBLIC_URL: 'https://browsers.example' }
  for (const env of [{}, { ...publicUrl, ALLOW_DEV_KEY: '1' }]) t.match(welcomeWith(env), devKey)
  for (const env of [publicUrl, { HOST: '0.0.0.0' }]) {
    t.notMatch(welcomeWith(env), devKey)
    t.match(welcomeWith(env), 'npx troupe keys create')
  }
})
