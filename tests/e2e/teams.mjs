// Asks, pages and corrects in a real client of Teams, in English and in Hebrew. Usage: node teams.mjs ADDRESS CHROMIUM [FOLDER FOR PICTURES]
import { chromium } from "playwright-core";

const [address, executablePath, pictures] = process.argv.slice(2);
const WAIT = 30_000; // milliseconds that anything may take
let passed = 0;

const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await browser.newPage({ viewport: { width: 1300, height: 1100 } });
page.setDefaultTimeout(WAIT);

function check(true_, what) {
  if (!true_) throw new Error(`not so: ${what}`);
  passed += 1;
  console.log(`ok: ${what}`);
}

const cards = () => page.locator(".ac-adaptiveCard");
const latest = () => cards().last();

async function until(what, isTrue) {
  const end = Date.now() + WAIT;
  for (;;) {
    if (await isTrue()) break;
    if (Date.now() > end) throw new Error(`not so in time: ${what}`);
    await page.waitForTimeout(100);
  }
  check(true, what);
}

const says = (text) => async () => (await cards().count()) > 0 && (await latest().innerText()).includes(text);

async function ask(text) {
  await page.locator("div[role=textbox]").last().click();
  await page.keyboard.insertText(text);
  await page.getByRole("button", { name: "Send Message" }).last().click();
}

async function press(name) {
  await latest().getByRole("button", { name, exact: true }).last().click();
}

async function picture(name) {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` });
}

async function choose(text) {
  await latest().getByRole("combobox").first().click();
  await page.getByRole("option", { name: text }).first().click();
}

try {
  await page.goto(address);
  await page.waitForSelector("div[role=textbox]");

  await ask("which doctors are in Haifa?");
  await until("an answer in English, with its count", says("Haifa: 23 rows"));
  await until("it says which rows of how many", says("Rows 1-10 of 23"));
  check((await latest().innerText()).includes("Dr Haifa 10"), "the tenth row stands on the first page");
  await picture("english");
  const before = await cards().count();
  await press("Next");
  await until("the next page", says("Rows 11-20 of 23"));
  check((await cards().count()) === before, "a page takes the place of the page before");
  await press("Next");
  await until("the last page", says("Rows 21-23 of 23"));

  await ask("doctors from Safed");
  await until("one understanding of a word", says("Dr Lake 01"));
  await press("Receipt");
  await until("the receipt, with another candidate", says("Safed → city = Safed"));
  await choose("studied in = Safed");
  await picture("receipt");
  await press("Correct");
  await until("the corrected answer", says("Dr Hill 03"));
  check(!(await latest().innerText()).includes("Dr Lake"), "the rows of the first understanding are gone");

  await ask("doctors in Lod");
  await until("what a cell holds stands as it is", says("**not bold** [no link](https://evil.example)"));
  check((await latest().locator("a").count()) === 0, "and is no link");

  await ask("אילו רופאים בנתניה?");
  await until("an answer in Hebrew", says("ד״ר כהן 01"));
  await until("its count in Hebrew", async () => /\b12\b/.test(await latest().innerText()) && !(await latest().innerText()).includes("Rows"));
  const direction = await latest().locator("table, [role=table], .ac-table").first().evaluate((found) => getComputedStyle(found).direction);
  check(direction === "rtl", "its table reads from right to left");
  await picture("hebrew");
  await press("הבא");
  await until("the next page in Hebrew", says("ד״ר כהן 12"));
  await ask("רופאים מ-Safed");
  await until("what was chosen once is remembered, in Hebrew too", says("Dr Hill 03"));
  await press("פירוט");
  await until("the receipt in Hebrew", async () => (await latest().getByRole("combobox").count()) > 0);
  await choose("city = Safed");
  await picture("hebrew-receipt");
  await press("תיקון");
  await until("the corrected answer in Hebrew", says("Dr Lake 01"));
  console.log(`${passed} passed, 0 failed`);
} catch (error) {
  await picture("failed");
  console.log(`${String(error)}\n${passed} passed, 1 failed`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
