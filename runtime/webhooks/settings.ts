/** Destinations that the operator allows for webhooks beside public addresses over https. */
import type { Logger } from 'pino'
import { isCidr, type Allowance } from '../lib/network/guard/allowance.ts'
import type { UntrustedUrlRules } from '../lib/network/guard/untrusted-url.ts'
import { webhookLimits as limits } from '../../proto/access/webhooks/webhook-limits.ts'
import { setting, type SettingValues } from '../config/setting.ts'
import { flagText, listText, portText, textThat } from '../config/value-texts.ts'

export const webhookSettings = {
  ACCESS_WEBHOOK_ALLOW_CIDRS: setting(
    listText(textThat(isCidr, 'use ranges such as 10.20.0.0/16')),
    [],
    'Private networks that webhooks may be sent to, such as 10.20.0.0/16; comma-separated. For tests and your own receivers: everyone who can create an endpoint can reach everything there.',
  ),
  ACCESS_WEBHOOK_ALLOW_HTTP: setting(
    flagText,
    false,
    'Allow webhooks over plain http, to any port. For tests: what is sent can be read and changed on the way.',
  ),
  ACCESS_WEBHOOK_PORTS: setting(
    listText(portText),
    [443, 8443],
    'Ports that webhooks may be sent to, comma-separated.',
  ),
} as const

/** Its own settings, and the service's own addresses, which no webhook may reach. */
export interface WebhookSettings extends SettingValues<typeof webhookSettings> {
  readonly PORT: number
  readonly NATS_URL: string
  readonly DATA_PORT: number
}

export function webhookRules(config: WebhookSettings): UntrustedUrlRules {
  const allowsHttp = config.ACCESS_WEBHOOK_ALLOW_HTTP
  const allowance: Allowance = {
    hosts: [],
    ranges: config.ACCESS_WEBHOOK_ALLOW_CIDRS,
    closedPorts: [config.PORT, config.DATA_PORT, ...natsPorts(config.NATS_URL)].filter(Boolean),
  }
  return {
    allowance,
    protocols: allowsHttp ? ['https:', 'http:'] : ['https:'],
    ports: allowsHttp ? 'any' : config.ACCESS_WEBHOOK_PORTS,
    charsMost: limits.urlChars,
  }
}

/** The prefix of links in webhook bodies; empty if the service does not know its public address. */
export const webhookBaseUrl = ({ PUBLIC_URL }: { readonly PUBLIC_URL: string }): string =>
  PUBLIC_URL.replace(/^ws/, 'http')

/** Logged as a warning at each start, because these settings weaken the protection of webhooks. */
export function warnOfAllowances(config: WebhookSettings, log: Pick<Logger, 'warn'>): void {
  const ranges = config.ACCESS_WEBHOOK_ALLOW_CIDRS
  if (ranges.length > 0) {
    log.warn({ ranges }, 'ACCESS_WEBHOOK_ALLOW_CIDRS: webhooks may reach these private networks')
  }
  if (config.ACCESS_WEBHOOK_ALLOW_HTTP) {
    log.warn('ACCESS_WEBHOOK_ALLOW_HTTP: webhooks may be unencrypted, and sent to any port')
  }
}

const natsPorts = (urls: string): readonly number[] =>
  urls.split(',').flatMap((url) => {
    const port = /:(\d+)\/?$/.exec(url.trim())?.[1]
    return port === undefined ? [] : [Number(port)]
  })
