/**
 * Chromium's command line and initial preferences. The measurements behind them are in
 * ../README.md.
 */
import { windowFor, type ViewSize } from '../display/screen.ts'
import type { DeviceShape } from '../../proto/session/setup/devices.ts'
import type { KeptPreferences } from '../profiles/profile-files.ts'
import { setupFlags } from './setup/setup-shape.ts'
import type { BrowserShape } from './shape.ts'

/**
 * Two hidden pages for the address bar's pop-ups cost 55 MiB and half a second of CPU per browser;
 * the other features contact servers or show bubbles over the page.
 */
const featuresOff = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationGuideModelDownloading',
  'OptimizationHints',
  'Translate',
]

/**
 * Chromium asks Google by itself which accounts are signed in, by no switch that turns it off, and
 * through the customer's proxy. It asks a name instead that nobody has; pages of Google are not concerned.
 * With `--gaia-url`, which does the same, Chromium shows a warning bar.
 */
const accountsHost = 'accounts.troupe.invalid'
const accounts = JSON.stringify({ urls: { gaia_url: { url: `https://${accountsHost}` } } })

/** Contains no automation switch: pages and clients see the browser as an ordinary Chromium. */
const always = [
  '--remote-debugging-pipe',
  `--disable-features=${featuresOff.join(',')}`,
  // Otherwise Chromium drops keys and clicks between a load and the first frame that it draws.
  '--allow-pre-commit-input',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--noerrdialogs',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  // What is left of it asks for one component at the start, and each minute; a URL without a host.
  '--component-updater=url-source=data:,',
  `--gaia-config-contents=${accounts}`,
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-quic',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  // Works only over the agent's pipe; it loads the extension that restricts the network of a
  // claimed browser.
  '--enable-unsafe-extension-debugging',
  '--hide-crash-restore-bubble',
  '--metrics-recording-only',
  '--password-store=basic',
]

/** Larger than the default window; for a larger window the screen is enlarged. */
const largeScreen = '{1920x1200}'

const headlessFlags = ({ setup }: BrowserShape): string[] => [
  '--headless=new',
  `--screen-info=${setup?.device ? screenOf(setup.device) : largeScreen}`,
  ...(setup?.device ? [`--force-device-scale-factor=${setup.device.scale}`] : []),
]

/** A device shows nothing but its page. */
function screenOf({ width, height, scale }: DeviceShape): string {
  const size = `${Math.round(width * scale)}x${Math.round(height * scale)}`
  return `{${size} devicePixelRatio=${scale}}`
}

const headfulFlags = ({ desktop, setup }: BrowserShape): string[] => [
  '--ozone-platform=x11',
  // Without it Chromium computes the scale from the screen's millimetres and is a pixel off.
  `--force-device-scale-factor=${desktop?.scale ?? 1}`,
  // A page that prints goes on: its print window would wait for a person, and block every command.
  '--kiosk-printing',
  // A bar that an extension debugs the browser would take 56 px of the viewport.
  '--silent-debugger-extension-api',
  // Without a GPU a page has no WebGL otherwise; headless Chromium draws it in software by itself.
  ...(setup?.hasNoWebgl ? [] : ['--enable-unsafe-swiftshader']),
]

/** What `--kiosk-printing` does: a PDF in the folder for saved files. */
const printToFile = JSON.stringify({
  version: 2,
  recentDestinations: [{ id: 'Save as PDF', origin: 'local', account: '' }],
  selectedDestinationId: 'Save as PDF',
})

export interface FlagOptions {
  readonly shape: BrowserShape
  readonly profile: string
  readonly sandbox: boolean
  /** Absent: any free port. */
  readonly devtoolsPort?: number
  /** Without credentials, for which Chromium has no flag. */
  readonly proxyServer?: string
  /** Absent: Chromium's own. */
  readonly userAgent?: string
}

export function chromiumFlags({
  shape,
  profile,
  sandbox,
  devtoolsPort = 0,
  proxyServer,
  userAgent,
}: FlagOptions): string[] {
  const unsafe = [
    ...(sandbox ? [] : ['--no-sandbox']),
    // Site isolation would keep frames of other sites inaccessible even without web security.
    ...(shape.disableWebSecurity
      ? ['--disable-web-security', '--disable-site-isolation-trials']
      : []),
    ...(shape.setup ? setupFlags(shape.setup, userAgent) : []),
  ]
  return [
    ...(shape.desktop ? headfulFlags(shape) : headlessFlags(shape)),
    ...always,
    `--remote-debugging-port=${devtoolsPort}`,
    `--user-data-dir=${profile}`,
    ...unsafe,
    // For such flags Chromium shows a warning bar that takes 56 px of the viewport; this hides it.
    ...(unsafe.length > 0 ? ['--test-type'] : []),
    ...(shape.popupBlocker ? [] : ['--disable-popup-blocking']),
    // Loopback also goes through the proxy: a session with a proxy has no other way out.
    ...(proxyServer === undefined
      ? []
      : [`--proxy-server=${proxyServer}`, `--proxy-bypass-list=<-loopback>;${accountsHost}`]),
    'about:blank',
  ]
}

/**
 * Large enough for the default viewport and the frame, so that the first page need not be resized.
 */
const firstWindow = {
  left: 10,
  top: 10,
  right: 10 + 1440,
  bottom: 10 + 987,
  maximized: false,
  work_area_left: 0,
  work_area_top: 0,
  work_area_right: 1920,
  work_area_bottom: 1200,
}

/**
 * Initially smaller than the screen: Chromium makes a window that asks for the whole screen one
 * pixel smaller, and keeps that size as its normal one. Maximizing then gives the full size.
 */
function wholeScreen({ width, height }: ViewSize) {
  return {
    left: 0,
    top: 0,
    right: width - 10,
    bottom: height - 10,
    maximized: true,
    work_area_left: 0,
    work_area_top: 0,
    work_area_right: width,
    work_area_bottom: height,
  }
}

/**
 * What a browser asks its user for is refused at once (2) unless it was granted: nobody is there to
 * answer, and the page would wait for ever.
 */
const asked = Object.fromEntries(
  [
    ...['geolocation', 'notifications', 'media_stream_camera', 'media_stream_mic'],
    ...['midi', 'midi_sysex', 'clipboard', 'idle_detection', 'local_fonts', 'window_placement'],
    ...['bluetooth_guard', 'usb_guard', 'serial_guard', 'hid_guard', 'vr', 'ar'],
    ...['bluetooth_scanning', 'file_system_write_guard', 'storage_access'],
  ].map((name) => [name, 2]),
)

/** The profile's initial `Preferences`, for settings without a flag. */
export function profilePreferences(
  shape: BrowserShape,
  downloads: string,
  kept: KeptPreferences = {},
): unknown {
  return {
    // A window that fills the screen needs no title bar, neither its own nor the window manager's.
    browser: shape.desktop
      ? { custom_chrome_frame: false, window_placement: wholeScreen(windowFor(shape.desktop)) }
      : { window_placement: firstWindow },
    download: { default_directory: downloads, prompt_for_download: false },
    // For what pages print, and after a client with a download behaviour of its own has disconnected.
    savefile: { default_directory: downloads },
    printing: { print_preview_sticky_settings: { appState: printToFile } },
    plugins: { always_open_pdf_externally: !shape.pdfViewer },
    // Never: a hint such as `<link rel=preconnect>` connects without a request that could be refused.
    net: { network_prediction_options: 2 },
    credentials_enable_service: false,
    profile: {
      ...kept.profile,
      default_content_setting_values: asked,
      password_manager_enabled: false,
    },
    // Otherwise its end removes the cookies that last for a session, with which many logins are made.
    session: { restore_on_startup: 1 },
  }
}
