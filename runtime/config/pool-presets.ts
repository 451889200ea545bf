/** Browsers that an operator keeps warm beside the usual ones: of the set-up that sessions ask for. */
import { z } from 'zod'
import { sessionCreateBody, sessionOptions } from '../../proto/session/session.ts'
import { jsonText } from '../lib/schemas/json-text.ts'
import { setting } from './setting.ts'

const browsersMost = 50

const preset = z
  .strictObject({
    count: z.number().int().min(1).max(browsersMost).optional(),
    browser: sessionCreateBody.shape.browser.unwrap(),
  })
  .transform(({ count = 1, browser }) => ({ count, options: sessionOptions({ browser }) }))
export type PoolPreset = z.output<typeof preset>

const example = '[{"count":1,"browser":{"headless":{"active":true},"locale":"de-DE"}}]'

export const presetSettings = {
  POOL_PRESETS: setting(
    jsonText(z.array(preset).readonly(), example),
    [],
    'Further browsers kept warm, for sessions that are created with exactly these options of `browser`: ' +
      '[{"count":1,"browser":{"locale":"de-DE"}}].',
    { shown: '' },
  ),
} as const
