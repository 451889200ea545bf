// Enhancements of the console's pages; every page works without them.
import { offerCopies } from '../shared/copying.js'
import { followFeed } from './feed.js'
import { offerFinding } from './finding.js'
import { lookAtSessions } from './glances.js'
import { previewCode } from './preview.js'
import { keepTicking } from './ticking.js'
import { showLocalTimes } from './local-times.js'
import { offerThemes } from '../shared/theme-switch.js'
import { watchRecording } from '../recordings/watching.js'

keepTicking()
showLocalTimes(document)
offerThemes()
offerCopies(document)
followFeed()
lookAtSessions()
offerFinding()
previewCode()
watchRecording()
