/**
 * Goal: a browser is started in the language that is nearest to the one asked for, and says of itself
 * what fits its user agent. Method: the functions alone; `e2e/setup` has them with a browser.
 */
import t from 'tap'
import { languagesOf, uiLocaleOf } from '../../../../node-agent/browser/setup/locales.ts'
import { overrideOf } from '../../../../node-agent/browser/setup/user-agent.ts'
import { setupFlags } from '../../../../node-agent/browser/setup/setup-shape.ts'

t.test('the nearest of Chromium’s locales', async (t) => {
  const nearest = {
    'de-AT': 'de',
    'en-AU': 'en-GB',
    en: 'en-US',
    'en-CA': 'en-US',
    'es-MX': 'es-419',
    es: 'es',
    'pt-PT': 'pt-PT',
    pt: 'pt-BR',
    'zh-HK': 'zh-TW',
    zh: 'zh-CN',
    nn: 'nb',
    'ja-JP': 'ja',
  }
  for (const [asked, found] of Object.entries(nearest)) t.equal(uiLocaleOf(asked), found, asked)
  t.equal(languagesOf('de-AT'), 'de-AT,de')
  t.equal(languagesOf('fr'), 'fr')
})

const chrome = (system: string, more = '') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/133.0.0.0${more} Safari/537.36`

t.test('client hints of Chromium and its relatives', async (t) => {
  const hintsOf = (agent: string) => overrideOf(agent, '156.0.1.2', false).userAgentMetadata
  t.match(hintsOf(chrome('Linux; Android 14; Pixel 7', ' Mobile')), {
    ...{ platform: 'Android', platformVersion: '14.0.0', model: 'Pixel 7', mobile: true },
    brands: [{}, { brand: 'Chromium', version: '133' }, { brand: 'Google Chrome' }],
  })
  t.match(hintsOf(chrome('Macintosh; Intel Mac OS X 10_15_7')), {
    ...{ platform: 'macOS', platformVersion: '10.15.7', mobile: false },
  })
  t.match(hintsOf(`${chrome('Windows NT 10.0; Win64; x64')} Edg/133.0.0.0`), {
    brands: [{}, {}, { brand: 'Microsoft Edge', version: '133' }],
  })
  const same = chrome('X11; Linux x86_64').replace('133', '156')
  t.match(hintsOf(same), { fullVersionList: [{}, { brand: 'Chromium', version: '156.0.1.2' }] })
})

t.test('others have none', async (t) => {
  const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Safari/604.1'
  t.strictSame(overrideOf(safari, '156.0.1.2', false), { userAgent: safari, platform: 'iPhone' })
  t.match(overrideOf(safari, '156.0.1.2', true), { userAgentMetadata: { brands: [] } })
})

t.test('a set-up adds the flags for what it has alone', async (t) => {
  t.strictSame(setupFlags({}, undefined), [])
  t.strictSame(setupFlags({ colorScheme: 'dark' }, 'Agent'), [
    '--user-agent=Agent',
    '--force-dark-mode',
  ])
  const device = { width: 400, height: 800, scale: 2, mobile: true, touch: false }
  t.match(
    setupFlags({ device }, undefined).join(' '),
    /--hide-scrollbars --blink-settings=.*viewportMetaEnabled=true/,
  )
})
