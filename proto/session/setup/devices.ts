/**
 * The devices whose names `browser.device` takes: those that Puppeteer lists, and newer ones. A test
 * holds that no name of Playwright's list is missing.
 */
import { KnownDevices } from 'puppeteer-core/internal/common/Device.js'

/** The screen and the input of a device. */
export interface DeviceShape {
  /** CSS pixels of the page, without the browser's bars. */
  readonly width: number
  readonly height: number
  /** Device pixels in a CSS pixel. */
  readonly scale: number
  /** Laid out as on a phone: a page obeys its `<meta name=viewport>`, or is 980 px wide. */
  readonly mobile: boolean
  readonly touch: boolean
}

export interface NamedDevice extends DeviceShape {
  /** The version of Chrome in it is that of the list. */
  readonly userAgent: string
}

type Row = readonly [name: string, width: number, height: number, scale: number, system?: string]

const appleDevices: readonly Row[] = [
  ['iPhone SE (3rd gen)', 375, 667, 2],
  ['iPhone 16', 393, 659, 3],
  ['iPhone 16 Plus', 430, 739, 3],
  ['iPhone 16 Pro', 402, 681, 3],
  ['iPhone 16 Pro Max', 440, 763, 3],
  ['iPhone 16e', 390, 651, 3],
  ['iPhone 17', 402, 681, 3],
  ['iPhone 17 Pro', 402, 681, 3],
  ['iPhone 17 Pro Max', 440, 763, 3],
  ['iPhone 17e', 390, 651, 3],
  ['iPhone Air', 420, 719, 3],
  ['iPad (gen 5)', 768, 1024, 2],
  ['iPad (gen 11)', 656, 944, 2.5],
]

/** The last column is what its Chrome calls the system. */
const androidDevices: readonly Row[] = [
  ['Galaxy A55', 480, 1040, 2.25, 'Android 14; SM-A556B'],
  ['Galaxy S24', 360, 780, 3, 'Android 14; SM-S921U'],
  ['Galaxy Tab S9', 640, 1024, 2.5, 'Android 14; SM-X710'],
  ['Galaxy Z Flip 6', 360, 804, 3, 'Android 14; SM-F741U'],
  ['Galaxy Z Flip 6 Cover', 360, 298, 2, 'Android 14; SM-F741U'],
  ['Galaxy Z Flip 7', 360, 764, 3, 'Android 16; SM-F766U'],
  ['Galaxy Z Flip 7 Cover', 474, 448, 2, 'Android 16; SM-F766U'],
  ['Galaxy Z Fold 6', 928, 1004, 2, 'Android 14; SM-F956U'],
  ['Galaxy Z Fold 6 Cover', 484, 1112, 2, 'Android 14; SM-F956U'],
  ['Galaxy Z Fold 7', 984, 1016, 2, 'Android 16; SM-F966U'],
  ['Galaxy Z Fold 7 Cover', 360, 764, 3, 'Android 16; SM-F966U'],
  ...['6', '6a'].map((of): Row => [`Pixel ${of}`, 412, 839, 2.625, `Android 12; Pixel ${of}`]),
  ['Pixel 6 Pro', 412, 816, 3.5, 'Android 12; Pixel 6 Pro'],
  ...['7', '7a'].map((of): Row => [`Pixel ${of}`, 412, 839, 2.625, `Android 13; Pixel ${of}`]),
  ['Pixel 7 Pro', 412, 816, 3.5, 'Android 13; Pixel 7 Pro'],
  ...['8', '8a'].map((of): Row => [`Pixel ${of}`, 412, 839, 2.625, `Android 14; Pixel ${of}`]),
  ['Pixel 8 Pro', 448, 921, 3, 'Android 14; Pixel 8 Pro'],
  ['Pixel 9', 360, 732, 3, 'Android 14; Pixel 9'],
  ['Pixel 9 Pro', 427, 876, 3, 'Android 14; Pixel 9 Pro'],
  ['Pixel 9 Pro XL', 448, 921, 3, 'Android 14; Pixel 9 Pro XL'],
  ['Pixel 10', 360, 732, 3, 'Android 16; Pixel 10'],
  ['Pixel 10 Pro', 427, 876, 3, 'Android 16; Pixel 10 Pro'],
  ['Pixel 10 Pro XL', 448, 921, 3, 'Android 16; Pixel 10 Pro XL'],
]

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5'
const blink = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64'

const desktops: Readonly<Record<string, string>> = {
  'Desktop Chrome': `${windows}) ${blink} Safari/537.36`,
  'Desktop Edge': `${windows}) ${blink} Safari/537.36 Edg/140.0.0.0`,
  'Desktop Firefox': `${windows}; rv:143.0) Gecko/20100101 Firefox/143.0`,
  'Desktop Safari': `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Safari/605.1.15`,
}

export const devices: ReadonlyMap<string, NamedDevice> = new Map([
  ...Object.entries(KnownDevices).map(([name, { userAgent, viewport }]): Entry => [
    name,
    {
      width: viewport.width,
      height: viewport.height,
      scale: viewport.deviceScaleFactor ?? 1,
      mobile: viewport.isMobile ?? false,
      touch: viewport.hasTouch ?? false,
      userAgent,
    },
  ]),
  ...bothWays(appleDevices, appleAgent),
  ...bothWays(androidDevices, androidAgent),
  ...bothWays([['Microsoft Lumia 550', 360, 640, 2]], lumiaAgent),
  ...Object.entries(desktops).flatMap(([name, userAgent]): Entry[] => {
    const screen = { width: 1280, height: 720, mobile: false, touch: false, userAgent }
    const sharp: Entry = [`${name} HiDPI`, { ...screen, scale: 2 }]
    return [[name, { ...screen, scale: name === 'Desktop Safari' ? 2 : 1 }], sharp]
  }),
])

type Entry = [name: string, device: NamedDevice]

/** Each upright, and turned as `… landscape`. */
function bothWays(rows: readonly Row[], agentOf: (row: Row) => string): Entry[] {
  return rows.flatMap((row): Entry[] => {
    const [name, width, height, scale] = row
    const same = { scale, mobile: true, touch: true, userAgent: agentOf(row) }
    return [
      [name, { width, height, ...same }],
      [`${name} landscape`, { width: height, height: width, ...same }],
    ]
  })
}

function appleAgent([name]: Row): string {
  const system = name.startsWith('iPad') ? 'iPad; CPU OS' : 'iPhone; CPU iPhone OS'
  return `Mozilla/5.0 (${system} 18_5 like Mac OS X) ${webKit} Mobile/15E148 Safari/604.1`
}

function androidAgent([name, , , , system]: Row): string {
  const kind = name.includes(' Tab ') ? 'Safari' : 'Mobile Safari'
  return `Mozilla/5.0 (Linux; ${system}) ${blink} ${kind}/537.36`
}

function lumiaAgent(): string {
  const system = 'Windows Phone 10.0; Android 4.2.1; Microsoft; Lumia 550'
  return `Mozilla/5.0 (${system}) ${blink} Mobile Safari/537.36 Edge/14.14263`
}
