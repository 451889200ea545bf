/** Fields of requests for tokens and links. */
import { z } from 'zod'
import { originSchema } from '../../../proto/session/domain.ts'
import { gatewayLimits } from '../../limits.ts'

export const lifetimeField = z
  .number()
  .int()
  .min(gatewayLimits.liveTokenMinSeconds)
  .max(gatewayLimits.liveTokenMaxSeconds)
  .default(gatewayLimits.liveTokenMs / 1_000)

/** `what` is shown in the frame, for example `the live view`. */
export const frameAncestorsField = (what: string) =>
  z
    .array(originSchema)
    .min(1)
    .max(gatewayLimits.frameAncestors)
    .optional()
    .describe(
      `Origins such as https://app.example, whose pages may show ${what} in a frame. ` +
        'If absent, none may.',
    )
